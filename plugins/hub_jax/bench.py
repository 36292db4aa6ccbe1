"""Layers and peers of JAX Pong for `hub bench`: one scan without Python, and gymnax's Pong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from hub.functional import Array, FunctionalEnv, begin, jit, lane_keys, rollout
from hub_jax.pong import pong

# Steps of one compiled scan, and so the least that is timed.
SCAN_STEPS = 64
_LIMIT = 10_000

Advance = Callable[[int], float]


def pong_layers(lanes: int) -> dict[str, Advance]:
    """Return `scan`: the rollout that stays on the device, random actions, SAME_STEP."""
    return {"scan": scanned(pong(), lanes)}


def pong_peers(lanes: int) -> dict[str, Advance]:
    """Return `gymnax Pong-misc scan`, in the same kind of scan; other rules, on a grid.

    Raises:
        ImportError: gymnax is not installed.
    """
    import gymnax

    env, params = gymnax.make("Pong-misc")
    reset, step = (
        jax.vmap(f, (0, *axes, None)) for f, axes in ((env.reset, ()), (env.step, (0, 0)))
    )

    def one(carry: tuple[Any, Array], _: None) -> tuple[tuple[Any, Array], Array]:
        state, key = carry
        rest, for_actions, for_step = jax.random.split(key, 3)
        actions = jax.random.randint(for_actions, (lanes,), 0, env.num_actions)
        keys = jax.random.split(for_step, lanes)
        _, state, reward, *_ = step(keys, state, actions, params)
        return (state, rest), reward.sum()

    @jax.jit
    def scan(carry: tuple[Any, Array]) -> tuple[tuple[Any, Array], Array]:
        return jax.lax.scan(one, carry, length=SCAN_STEPS)

    state = jax.jit(reset)(jax.random.split(jax.random.key(0), lanes), params)[1]
    return {"gymnax Pong-misc scan": _repeated(scan, (state, jax.random.key(1)), lanes)}


def scanned(env: FunctionalEnv[Any, Any], lanes: int) -> Advance:
    """Return what advances a scanned rollout of `env` with random discrete actions."""

    def act(
        weights: Any, key: Array, memory: Any, observation: Any, info: Any, started: Array
    ) -> Any:
        return memory, jax.random.randint(key, (lanes,), 0, env.action_space.n), None  # type: ignore[attr-defined]  # a Discrete

    run = functools.partial(rollout, env, act, steps=SCAN_STEPS, max_episode_steps=_LIMIT)

    def scan(runner: Any) -> Any:
        runner, data = run(runner, None)
        # Everything that a trainer would read is used, so that nothing is optimised away.
        return runner, [leaf.astype(jnp.float32).sum() for leaf in jax.tree.leaves(data)]

    runner = begin(env, lane_keys(range(lanes)), None, jax.random.key(0))
    return _repeated(jit(env, scan), runner, lanes)


def _repeated(scan: Callable[[Any], Any], carry: Any, lanes: int) -> Advance:
    """Return a function that runs whole scans until so many batches are done, and waits."""
    now = [carry]

    def advance(batches: int) -> float:
        scans = -(-batches // SCAN_STEPS)
        for _ in range(scans):
            now[0], seen = scan(now[0])
        jax.tree.map(lambda leaf: leaf.block_until_ready(), seen)
        return float(scans * SCAN_STEPS * lanes)

    return advance
