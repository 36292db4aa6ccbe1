"""A whole rollout as one `lax.scan`, for trainers that stay on the device.

    runner = begin(env, lane_keys(range(64)), memory, key)
    collect = jit(env, functools.partial(rollout, env, policy, steps=128))
    runner, data = collect(runner, weights)

Everything is pure and traced; call it under `precision(env)` when the environment is float64.
"""

from __future__ import annotations

from typing import Any, Protocol

import jax
import jax.numpy as jnp

from hub.functional.batch import Batch, Carry, start, step_same
from hub.functional.env import Array, FunctionalEnv, Info, struct
from hub.functional.setup import episode_limit


class Policy(Protocol):
    """A policy over all lanes; recurrent ones keep their memory in a pytree."""

    def __call__(
        self, weights: Any, key: Array, memory: Any, observation: Any, info: Info, started: Array
    ) -> tuple[Any, Any, Any]:
        """Choose actions.

        Args:
            weights: The policy's parameters.
            key: A fresh key for this step.
            memory: Pytree of `[lanes, ...]`.
            observation: `[lanes, ...]`, or `[lanes, players, ...]`.
            info: What the state says: `action_mask`, `to_move`, where the game has them.
            started: `[lanes] bool`: the first observation of an episode; forget the memory here.

        Returns:
            Memory, actions `[lanes, ...]`, and a pytree of extras to record (log-probabilities).
        """


@struct
class Runner:
    """Where a rollout stands: give it to the next call to go on."""

    carry: Carry
    observation: Any  # [lanes, ...]
    info: Info  # state_info of the state observed
    started: Array  # [lanes] bool
    memory: Any  # the policy's
    key: Array  # [] key: the policy's randomness; the lanes have their own


@struct
class Rollout:
    """What happened, `[steps, lanes, ...]`."""

    observation: Any
    info: Info  # of the state observed: action_mask, to_move
    started: Array  # bool: the observation is the first of an episode
    action: Any
    extra: Any  # whatever the policy recorded
    reward: Array  # float
    terminated: Array  # bool
    truncated: Array  # bool
    next_observation: Any  # of the state that the action led to, also where the episode ended
    step_info: Info  # of the step


def begin(
    env: FunctionalEnv[Any, Any], keys: Array, memory: Any, key: Array, params: Any = None
) -> Runner:
    """Begin an episode in every lane.

    Args:
        env: The environment.
        keys: `[lanes]` keys, as of `lane_keys`.
        memory: The policy's memory, pytree of `[lanes, ...]`; None for a policy without one.
        key: Key of the policy's randomness.
        params: Parameters instead of the environment's own.
    """
    batch, params = Batch(env), env.params if params is None else params
    carry = start(batch, keys, params)
    seen, info = batch.observe(carry.state, params), batch.state_info(carry.state, params)
    return Runner(carry, seen, info, jnp.ones(keys.shape, bool), memory, key)


def rollout(
    env: FunctionalEnv[Any, Any],
    policy: Policy,
    runner: Runner,
    weights: Any,
    params: Any = None,
    *,
    steps: int,
    max_episode_steps: int | None = None,
) -> tuple[Runner, Rollout]:
    """Run `policy` for `steps` steps; episodes that end begin anew at once, with fresh keys.

    Args:
        env: The environment.
        policy: The policy, over all lanes.
        runner: Where to go on from.
        weights: The policy's parameters.
        params: Parameters instead of the environment's own.
        steps: Length of the rollout (static).
        max_episode_steps: Episode limit (static); None takes the environment's own.

    Returns:
        The runner to go on from, and `[steps, lanes, ...]` of what happened.
    """
    limit = episode_limit(env, max_episode_steps)
    params = env.params if params is None else params

    def one(now: Runner, _: None) -> tuple[Runner, Rollout]:
        return _step(Batch(env), policy, now, weights, params, limit)

    return jax.lax.scan(one, runner, length=steps)


def _step(
    batch: Batch, policy: Policy, now: Runner, weights: Any, params: Any, limit: int | None
) -> tuple[Runner, Rollout]:
    rest, mine = jax.random.split(now.key)
    memory, action, extra = policy(
        weights, mine, now.memory, now.observation, now.info, now.started
    )
    carry, out = step_same(batch, now.carry, action, params, limit)
    then = Runner(carry, out.observation, out.state_info, out.started, memory, rest)
    return then, Rollout(
        now.observation,
        now.info,
        now.started,
        action,
        extra,
        out.reward,
        out.terminated,
        out.truncated,
        out.final_observation,
        out.info,
    )
