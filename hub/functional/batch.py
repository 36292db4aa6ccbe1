"""All lanes at once, whichever way the environment is written: what the adapters are made of.

Everything here is traced: pure functions of arrays. A `Batch` hides whether the environment is
vmapped (lanes first in its state) or batched by itself (lanes last); a `Carry` is all that an
adapter keeps between two calls.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from hub.functional.env import Array, FunctionalEnv, Info, Transition, struct
from hub.functional.keys import moment_keys


@struct
class Carry:
    """The lanes between two calls."""

    state: Any  # pytree; lanes on the first axis, or on the last when the environment is batched
    keys: Array  # [lanes] keys, one per seed
    episode: Array  # [lanes] int32: episodes begun since seeding, less one
    elapsed: Array  # [lanes] int32: steps in this episode
    pending: Array  # [lanes] bool: the episode is over and the next one has not begun


@struct
class Outcome:
    """What the lanes' step hands out; `observation` belongs to the state that comes next."""

    observation: Any  # [lanes, ...]
    reward: Array  # [lanes] float, or [lanes, players]
    terminated: Array  # [lanes] bool
    truncated: Array  # [lanes] bool
    info: Info  # of the step that was made; means nothing where NEXT_STEP reset instead
    state_info: Info  # of the state that comes next
    started: Array  # [lanes] bool: the observation is the first of an episode
    final_observation: Any  # [lanes, ...]: of the state that the step led to, before any reset


def _expand(mask: Array, leaf: Array, axis: int) -> Array:
    if axis == -1:
        return mask
    return mask.reshape(mask.shape + (1,) * (leaf.ndim - mask.ndim))


class Batch:
    """The functions of an environment over `[lanes]`."""

    def __init__(self, env: FunctionalEnv[Any, Any]) -> None:
        self.env = env
        self.axis = -1 if env.batched else 0

    def _map(self, function: Any, *arguments: Any, params: Any) -> Any:
        if self.env.batched:
            return function(*arguments, params)
        axes = (0,) * len(arguments) + (None,)
        return jax.vmap(function, in_axes=axes)(*arguments, params)

    def init(self, keys: Array, params: Any) -> Any:
        """Begin an episode in every lane."""
        return self._map(self.env.init, keys, params=params)

    def begin(self, keys: Array, state: Any, params: Any) -> Any:
        """Begin every lane's next episode from its last state."""
        return self._map(self.env.begin, keys, state, params=params)

    def step(self, keys: Array, state: Any, action: Any, params: Any) -> Transition[Any]:
        """Step every lane; no limit, no reset."""
        result: Transition[Any] = self._map(self.env.step, keys, state, action, params=params)
        return result

    def observe(self, state: Any, params: Any) -> Any:
        """Observe every lane."""
        return self._map(self.env.observe, state, params=params)

    def state_info(self, state: Any, params: Any) -> Info:
        """Describe every lane's state."""
        info: Info = self._map(self.env.state_info, state, params=params)
        return info

    def choose(self, mask: Array, yes: Any, no: Any) -> Any:
        """Take the lanes of state `yes` where `mask`, of state `no` elsewhere."""
        return jax.tree.map(lambda a, b: jnp.where(_expand(mask, a, self.axis), a, b), yes, no)

    def lane(self, state: Any, index: int) -> Any:
        """Take the state of one lane."""
        place = (..., index) if self.env.batched else index
        return jax.tree.map(lambda leaf: leaf[place], state)


def choose_first(mask: Array, yes: Any, no: Any) -> Any:
    """Take `yes` where `mask`, `no` elsewhere, in pytrees whose lanes are on the first axis."""
    return jax.tree.map(lambda a, b: jnp.where(_expand(mask, a, 0), a, b), yes, no)


def start(batch: Batch, keys: Array, params: Any) -> Carry:
    """Begin the first episode of freshly seeded lanes."""
    zeros = jnp.zeros(keys.shape, jnp.int32)
    owns_stream = batch.env.restart is not None
    state = batch.init(keys if owns_stream else moment_keys(keys, zeros, zeros), params)
    return Carry(state, keys, zeros, zeros, jnp.zeros(keys.shape, bool))


def restart(batch: Batch, carry: Carry, mask: Array, params: Any) -> Carry:
    """Begin the next episode, with a fresh key, in the lanes of `mask`."""
    episode = carry.episode + mask
    keys = moment_keys(carry.keys, episode, jnp.zeros_like(episode))
    # Most calls reset no lane, and a reset may cost more than a step.
    state = jax.lax.cond(
        mask.any(),
        lambda old: batch.choose(mask, batch.begin(keys, old, params), old),
        lambda old: old,
        carry.state,
    )
    return dataclasses.replace(
        carry,
        state=state,
        episode=episode,
        elapsed=jnp.where(mask, 0, carry.elapsed),
        pending=carry.pending & ~mask,
    )


def advance(
    batch: Batch, carry: Carry, action: Any, params: Any, limit: int | None
) -> tuple[Carry, Transition[Any]]:
    """Step every lane and apply the episode limit; nothing is reset."""
    elapsed = carry.elapsed + 1
    keys = moment_keys(carry.keys, carry.episode, elapsed)
    state, reward, terminated, truncated, info = batch.step(keys, carry.state, action, params)
    if limit is not None:
        truncated = truncated | (elapsed >= limit)
    moved = dataclasses.replace(carry, state=state, elapsed=elapsed, pending=terminated | truncated)
    return moved, Transition(state, reward, terminated, truncated, info)


def _outcome(
    batch: Batch, carry: Carry, moved: Transition[Any], params: Any, started: Array
) -> Outcome:
    observation = batch.observe(carry.state, params)
    return Outcome(
        observation,
        moved.reward,
        moved.terminated,
        moved.truncated,
        moved.info,
        batch.state_info(carry.state, params),
        started,
        observation,
    )


def step_disabled(
    batch: Batch, carry: Carry, action: Any, params: Any, limit: int | None
) -> tuple[Carry, Outcome]:
    """Step every lane; whoever calls resets the lanes that ended."""
    carry, moved = advance(batch, carry, action, params, limit)
    return carry, _outcome(batch, carry, moved, params, jnp.zeros_like(carry.pending))


def step_same(
    batch: Batch, carry: Carry, action: Any, params: Any, limit: int | None
) -> tuple[Carry, Outcome]:
    """Step every lane, and begin the next episode at once where one ended."""
    carry, moved = advance(batch, carry, action, params, limit)
    ended, final = carry.pending, batch.observe(carry.state, params)
    carry = restart(batch, carry, ended, params)
    outcome = _outcome(batch, carry, moved, params, ended)
    return carry, dataclasses.replace(outcome, final_observation=final)


def step_next(
    batch: Batch, carry: Carry, action: Any, params: Any, limit: int | None
) -> tuple[Carry, Outcome]:
    """Begin the next episode where the last call ended one, and step the other lanes."""
    due = carry.pending
    stepped, moved = advance(batch, carry, action, params, limit)
    kept = dataclasses.replace(
        carry,
        state=batch.choose(due, carry.state, stepped.state),
        elapsed=stepped.elapsed,
        pending=due | stepped.pending,
    )
    carry = restart(batch, kept, due, params)
    moved = moved._replace(
        reward=choose_first(due, jnp.zeros_like(moved.reward), moved.reward),
        terminated=moved.terminated & ~due,
        truncated=moved.truncated & ~due,
    )
    return carry, _outcome(batch, carry, moved, params, due)
