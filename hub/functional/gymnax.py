"""A view in gymnax's calling convention, for PureJaxRL-style code.

    observation, state = view.reset(key, params)
    observation, state, reward, done, info = view.step(key, state, action, params)

The functions are pure, take one lane, and are there to be vmapped and jitted by the caller.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from hub.arguments import check_kind, dense
from hub.functional.env import Array, FunctionalEnv, Info, Transition, struct
from hub.functional.setup import check_adaptable, episode_limit


@struct
class ViewState:
    """One lane: the game's state and the steps of its episode."""

    game: Any
    time: Array  # [] int32


def one_lane(env: FunctionalEnv[Any, Any]) -> FunctionalEnv[Any, Any]:
    """Return `env` with functions of one lane, also where it is written for all at once."""
    if not env.batched:
        return env

    def widen(tree: Any, axis: int) -> Any:
        return jax.tree.map(lambda leaf: jnp.expand_dims(leaf, axis), tree)

    def narrow(tree: Any, axis: int) -> Any:
        return jax.tree.map(lambda leaf: jnp.squeeze(leaf, axis), tree)

    def step(key: Any, state: Any, action: Any, params: Any) -> Transition[Any]:
        moved = env.step(widen(key, 0), widen(state, -1), widen(action, 0), params)
        return Transition(narrow(moved.state, -1), *(narrow(part, 0) for part in moved[1:]))

    def begin(key: Any, state: Any, params: Any) -> Any:
        return narrow(env.begin(widen(key, 0), widen(state, -1), params), -1)

    return dataclasses.replace(
        env,
        init=lambda key, params: narrow(env.init(widen(key, 0), params), -1),
        step=step,
        observe=lambda state, params: narrow(env.observe(widen(state, -1), params), 0),
        state_info=lambda state, params: narrow(env.state_info(widen(state, -1), params), 0),
        restart=begin,
        batched=False,
    )


def _check_functional(env: Any) -> None:
    """Refuse what is no `FunctionalEnv`.

    Raises:
        TypeError: The message says where a Gymnasium environment keeps its own.
    """
    if isinstance(env, FunctionalEnv):
        return
    inner = getattr(getattr(env, "unwrapped", None), "functional", None)
    fix = "a Gymnasium environment of the hub's JAX ones has it as env.unwrapped.functional"
    if isinstance(inner, FunctionalEnv):
        fix = "give env.unwrapped.functional"
    raise TypeError(f"{env!r} is no hub.functional.FunctionalEnv: {fix}")


def _on_device(space: gymnasium.Space[Any], action: Any) -> Any:
    """Return `action` as the rules know it, arrays: NumPy's and Python's numbers are none yet.

    A device array or a traced one is left as it is, whatever its dtype.

    Raises:
        InvalidAction: Floats for whole numbers, or nothing that an array could be made of.
    """
    if isinstance(space, gymnasium.spaces.Dict):
        return {name: _on_device(part, action[name]) for name, part in space.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple(_on_device(part, a) for part, a in zip(space, action, strict=True))
    if isinstance(action, jax.Array):
        return action
    assert space.dtype is not None  # only composite spaces have none
    array = dense(action)
    check_kind(array, space.dtype)
    return jnp.asarray(array, jnp.int32 if np.issubdtype(space.dtype, np.integer) else space.dtype)


class GymnaxView:
    """`env` as gymnax users expect it: auto-reset inside `step`, with fresh keys.

    `info` always has `terminated`, `truncated` and `final_obs`, the observation of the state
    that the action led to, before any reset: bootstrap truncated episodes from it.

    Args:
        env: The environment, with one player: a `FunctionalEnv`, which an environment that
            `gymnasium.make` made of one has as `env.unwrapped.functional`.
        max_episode_steps: Episode limit in steps; None takes the environment's own.

    Raises:
        TypeError: `env` is no `FunctionalEnv`.
        ValueError: It has several players, or the limit is no whole number from 1 on.
    """

    def __init__(self, env: FunctionalEnv[Any, Any], max_episode_steps: int | None = None) -> None:
        _check_functional(env)
        check_adaptable(env, None)
        self.functional = one_lane(env)
        self.limit = episode_limit(env, max_episode_steps)

    @property
    def name(self) -> str:
        """The environment's name."""
        return self.functional.name

    @property
    def default_params(self) -> Any:
        """The environment's own parameters."""
        return self.functional.params

    @property
    def num_actions(self) -> int:
        """Number of discrete actions, or length of a continuous one."""
        space = self.functional.action_space
        if isinstance(space, gymnasium.spaces.Discrete):
            return int(space.n)
        return int(gymnasium.spaces.flatdim(space))

    def action_space(self, params: Any = None) -> gymnasium.Space[Any]:
        """Return the action space (Gymnasium's class: it has `n`, `shape`, `low`, `high`)."""
        return self.functional.action_space

    def observation_space(self, params: Any = None) -> gymnasium.Space[Any]:
        """Return the observation space (likewise)."""
        return self.functional.observation_space

    def reset(self, key: Array, params: Any = None) -> tuple[Any, ViewState]:
        """Begin an episode: observation and state."""
        env, params = self.functional, self.default_params if params is None else params
        game = env.init(key, params)
        return env.observe(game, params), ViewState(game, jnp.int32(0))

    def step(
        self, key: Array, state: ViewState, action: Any, params: Any = None
    ) -> tuple[Any, ViewState, Array, Array, Info]:
        """Take one step, and begin the next episode if this one ended.

        Args:
            key: For the step, and for the reset after an end.
            state: Of the lane.
            action: One of `action_space()`; outside of a jit also Python's numbers and lists.
            params: Parameters instead of the environment's own.

        Returns:
            Observation (of the new episode after an end), state, reward, done, info.
        """
        env, params = self.functional, self.default_params if params is None else params
        action = _on_device(env.action_space, action)
        for_step, for_reset = jax.random.split(key)
        game, reward, terminated, truncated, info = env.step(for_step, state.game, action, params)
        time = state.time + 1
        if self.limit is not None:
            truncated = truncated | (time >= self.limit)
        done, final = terminated | truncated, env.observe(game, params)
        begun = env.begin(for_reset, game, params)
        game = jax.tree.map(lambda new, old: jnp.where(done, new, old), begun, game)
        info = {**info, **env.state_info(game, params), "final_obs": final}
        info |= {"terminated": terminated, "truncated": truncated}
        state = ViewState(game, jnp.where(done, 0, time))
        return env.observe(game, params), state, reward, done, info
