"""A functional environment as a Gymnasium `Env`: one lane of the same compiled code."""

from __future__ import annotations

import dataclasses
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from hub.arguments import warn_no_render_mode
from hub.functional import host
from hub.functional.actions import check_lane_action
from hub.functional.batch import Batch, Carry
from hub.functional.compiled import precision
from hub.functional.env import FunctionalEnv
from hub.functional.guard import Turn, guarded
from hub.functional.keys import lane_keys
from hub.functional.resume import Resumable
from hub.functional.setup import check_adaptable, episode_limit, resolve_device
from hub.seeds import as_seed, check_options


class FunctionalSingleEnv(Resumable, gymnasium.Env[Any, Any]):
    """One functional environment: Python float and bool, fresh arrays.

    `reset(seed=s)` gives what lane 0 of the vector environment gives for `s`; a reset without
    a seed goes on to the next episode of the seed that it has.

    Args:
        env: The environment.
        max_episode_steps: Episode limit in steps; None takes the environment's own.
        render_mode: None, or one of the environment's.
        device: `"cpu"`, `"gpu"`, `"gpu:1"`, a JAX device, or None for JAX's choice.
        params: Parameters instead of the environment's own.

    Raises:
        ValueError: An argument is none of the values above.
        UnknownDevice: JAX has no such device here.
    """

    _mode, _lanes = AutoresetMode.DISABLED, 1

    def __init__(
        self,
        env: FunctionalEnv[Any, Any],
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        device: str | jax.Device | None = None,
        params: Any = None,
    ) -> None:
        check_adaptable(env, render_mode)
        resolve_device(device)  # now, and not at the first reset, far from the mistake
        self.functional, self.render_mode = env, render_mode
        self.metadata = {"render_modes": env.render_modes, "render_fps": env.render_fps}
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self._lane_space = batch_space(env.action_space, 1)
        self._limit, self._device = episode_limit(env, max_episode_steps), device
        self._params = env.params if params is None else params
        self._carry: Carry | None = None
        self._turn = Turn()
        self._ended = self._closed = False

    @guarded
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; no options are known."""
        check_options(options)
        if seed is not None:
            seed = as_seed(seed)
            super().reset(seed=seed)
        elif self._carry is None:
            seed = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
        with precision(self.functional):
            self._begin(seed)
            seen = self._jits.look(self._carry, self._params)
        observation, info = jax.device_get(seen)
        self._ended = False
        return self._observation(observation), host.plain_info(info)

    @guarded
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step.

        Raises:
            ResetNeeded: Before the first reset, or after the episode's end.
            InvalidAction: The action does not fit the action space; nothing was stepped.
        """
        if self._carry is None or self._ended:
            why = "the episode is over: " if self._ended else ""
            raise ResetNeeded(f"{why}call reset() before step()")
        checked = check_lane_action(self.action_space, self._lane_space, action)
        with precision(self.functional):
            self._carry, outcome = self._jits.step(self._carry, checked, self._params)
        # Each array costs a transfer: fetch what a single environment hands out, no more.
        fetched = (outcome.observation, outcome.reward, outcome.terminated, outcome.truncated)
        got = jax.device_get((*fetched, outcome.info))
        terminated, truncated = bool(got[2][0]), bool(got[3][0])
        self._ended = terminated or truncated
        reward = float(host.exact_rewards(got[1], self.functional.reward_levels)[0])
        return self._observation(got[0]), reward, terminated, truncated, host.plain_info(got[4])

    @guarded
    def render(self) -> Any:
        """Draw the state in the render mode: `[h, w, 3] uint8`, or text; None without a mode."""
        env = self.functional
        draw = {"rgb_array": env.render, "ansi": env.ansi, None: None}[self.render_mode]
        if draw is None:
            warn_no_render_mode(env.render_modes)
            return None
        if self._carry is None:
            raise ResetNeeded("call reset() before render()")
        return draw(self._lane_state(), jax.device_get(self._params))

    def close(self) -> None:
        """Let go of the device's memory; further use raises `ClosedError`."""
        with self._turn:
            self._carry, self._closed = None, True

    @property
    @guarded
    def lane_state(self) -> Any:
        """The state as the environment's functions know it, in NumPy; assign to change it.

        Raises:
            ResetNeeded: Before the first reset.
        """
        if self._carry is None:
            raise ResetNeeded("there is no state before the first reset(): call reset()")
        return self._lane_state()

    @lane_state.setter
    @guarded
    def lane_state(self, state: Any) -> None:
        if self._carry is None:
            raise ResetNeeded("there is no state before the first reset(): call reset()")
        with precision(self.functional):
            axis = -1 if self.functional.batched else 0
            lanes = jax.tree.map(lambda leaf: jnp.expand_dims(jnp.asarray(leaf), axis), state)
            place = resolve_device(self._device)
            ended = jnp.zeros_like(self._carry.pending)
            self._carry = dataclasses.replace(
                self._carry, state=jax.device_put(lanes, place), pending=ended
            )
        self._ended = False

    def _is_closed(self) -> bool:
        return self._closed

    def _resumed(self, pending: Any) -> None:
        self._ended = bool(pending[0])

    def _handed_out(self, observation: Any) -> Any:
        return self._observation(jax.device_get(observation))

    def _lane_state(self) -> Any:
        assert self._carry is not None  # the callers have seen to it
        return Batch(self.functional).lane(jax.device_get(self._carry.state), 0)

    def _begin(self, seed: int | None) -> None:
        keys = lane_keys([0 if seed is None else seed])
        if self._carry is None:
            place = resolve_device(self._device)
            self._params, keys = jax.device_put((self._params, keys), place)
            self._carry = self._jits.start(keys, self._params)
        else:
            seeded, mask = np.array([seed is not None]), np.array([True])
            self._carry = self._jits.reset(self._carry, keys, seeded, mask, self._params)

    def _observation(self, lanes: Any) -> Any:
        first = jax.tree.map(lambda leaf: leaf[0], lanes)
        return host.fit(self.observation_space, first)
