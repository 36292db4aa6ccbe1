"""What every functional environment must satisfy, as one call: `check_properties(env)`.

Compiled code equals plain code, a batch of one equals a single lane, the place of a lane in the
batch does not matter, `step` repeats what `state_info` says, and (`digest`, compared by the
caller between processes) a seed fixes the trajectory. Every step is compared from the same
state, so that a tolerance for continuous dynamics is that of one step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hub.functional.batch import Batch
from hub.functional.compiled import jit, precision
from hub.functional.env import FunctionalEnv, Transition
from hub.functional.gymnax import one_lane
from hub.functional.keys import lane_keys, moment_keys
from hub.functional.sampling import random_actions


class _Lanes:
    """The jitted lanes of an environment, driven by random legal actions."""

    def __init__(self, env: FunctionalEnv[Any, Any], seeds: Sequence[int]) -> None:
        self.env, self.batch = env, Batch(env)
        self.keys, self.init = lane_keys(seeds), jit(env, self.batch.init)
        self.step = jit(env, self.batch.step)
        self.begin = jit(env, self.batch.begin)
        self.look = jit(env, self._look)
        self.act = jax.jit(lambda keys, info: random_actions(env, keys, info))

    def _look(self, state: Any, params: Any) -> Any:
        return self.batch.observe(state, params), self.batch.state_info(state, params)

    def moment(self, episode: int, step: int) -> Any:
        ones = jnp.ones(self.keys.shape, jnp.int32)
        return moment_keys(self.keys, episode * ones, step * ones)

    def restarted(self, moved: Transition[Any], episode: int) -> Any:
        """Begin anew the lanes that ended, as the adapters do."""
        fresh = self.begin(self.moment(episode, 0), moved.state, self.env.params)
        return self.batch.choose(moved.terminated | moved.truncated, fresh, moved.state)


def check_properties(
    env: FunctionalEnv[Any, Any],
    *,
    seeds: Sequence[int] = (0, 1, 2),
    steps: int = 40,
    tolerance: float = 0.0,
) -> None:
    """Check `env` on random legal actions.

    Args:
        env: The environment.
        seeds: One lane each; at least two.
        steps: Steps to take; episodes that end begin anew.
        tolerance: Largest difference, relative to the value where that exceeds 1; 0 is bitwise.

    Raises:
        AssertionError: A property fails; the message names it, the step, the field and both
            values.
    """
    with precision(env):
        lanes, order = _Lanes(env, seeds), np.arange(len(seeds))[::-1]
        alone = jit(env, Batch(env).init), jit(env, Batch(env).step)
        state = lanes.init(lanes.moment(0, 0), env.params)
        first = one_lane(env).init(lanes.moment(0, 0)[0], env.params)
        _same("jit equals no jit", 0, lanes.batch.lane(state, 0), first, tolerance)
        one = alone[0](lanes.moment(0, 0)[:1], env.params)
        _same("a batch of one equals a single lane", 0, lanes.batch.lane(one, 0), first, tolerance)
        for step in range(1, steps + 1):
            keys, info = lanes.moment(step, step), lanes.look(state, env.params)[1]
            action = lanes.act(keys, info)
            moved = lanes.step(keys, state, action, env.params)
            told = lanes.look(moved.state, env.params)[1]
            _same("step repeats state_info", step, {k: moved.info.get(k) for k in told}, told, 0.0)
            given = (keys, state, action)
            _check_lane(env, lanes.batch, moved, alone[1], given, step, tolerance)
            shuffled = lanes.step(*_reorder(env, given, order), env.params)
            expected = _reorder(env, (moved[1:], moved.state, 0), order)[:2]
            actual = (shuffled[1:], shuffled.state)
            _same("the order of lanes does not matter", step, actual, expected, tolerance)
            state = lanes.restarted(moved, step)


def _check_lane(
    env: FunctionalEnv[Any, Any],
    batch: Batch,
    moved: Transition[Any],
    alone: Any,
    given: tuple[Any, Any, Any],
    step: int,
    tolerance: float,
) -> None:
    """Compare the first lane of a compiled step with plain code and with a batch of one."""
    keys, state, action = given
    expected = (batch.lane(moved.state, 0), jax.tree.map(lambda leaf: leaf[0], moved[1:]))
    act = jax.tree.map(lambda leaf: leaf[0], action)
    plain = one_lane(env).step(keys[0], batch.lane(state, 0), act, env.params)
    _same("jit equals no jit", step, (plain.state, plain[1:]), expected, tolerance)
    one = alone(*_reorder(env, given, np.array([0])), env.params)
    got = (batch.lane(one.state, 0), jax.tree.map(lambda leaf: leaf[0], one[1:]))
    _same("a batch of one equals a single lane", step, got, expected, tolerance)


def _reorder(env: FunctionalEnv[Any, Any], given: tuple[Any, Any, Any], order: Any) -> Any:
    """Take the lanes `order` of (first-axis pytree, state, first-axis pytree)."""
    place = (..., order) if env.batched else order
    before, state, after = given
    return (
        jax.tree.map(lambda leaf: leaf[order], before),
        jax.tree.map(lambda leaf: leaf[place], state),
        jax.tree.map(lambda leaf: leaf[order] if np.ndim(leaf) else leaf, after),
    )


def _raw(leaf: Any) -> Any:
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


def _same(what: str, step: int, got: Any, want: Any, tolerance: float) -> None:
    paths = jax.tree_util.tree_leaves_with_path(want)
    others = jax.tree.leaves(got)
    assert len(paths) == len(others), f"{what}: step {step}: {jax.tree.structure(got)}"
    for (path, expected), actual in zip(paths, others, strict=True):
        a, b = np.asarray(_raw(actual)), np.asarray(_raw(expected))
        field = jax.tree_util.keystr(path)
        assert a.dtype == b.dtype, f"{what}: step {step}, {field}: {a.dtype}, not {b.dtype}"
        if tolerance and np.issubdtype(b.dtype, np.floating):
            fine = bool(np.all(np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b))))
        else:
            fine = a.tobytes() == b.tobytes()
        assert fine, f"{what}: step {step}, {field}: {a}, not {b}"


def digest(env: FunctionalEnv[Any, Any], *, seed: int = 0, steps: int = 40, lanes: int = 3) -> str:
    """Hash a trajectory of random legal actions, to be compared between processes.

    Returns:
        SHA-256 over every state, reward, flag and info, as hexadecimal digits.
    """
    total = hashlib.sha256()
    with precision(env):
        run = _Lanes(env, range(seed, seed + lanes))
        state = run.init(run.moment(0, 0), env.params)
        for step in range(1, steps + 1):
            keys, (seen, info) = run.moment(step, step), run.look(state, env.params)
            moved = run.step(keys, state, run.act(keys, info), env.params)
            for leaf in jax.tree.leaves((seen, tuple(moved))):
                total.update(np.asarray(_raw(leaf)).tobytes())
            state = run.restarted(moved, step)
    return total.hexdigest()
