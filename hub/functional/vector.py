"""A functional environment as a Gymnasium `VectorEnv`."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from hub.arguments import autoreset, warn_no_render_mode, whole
from hub.functional import host
from hub.functional.actions import check_action
from hub.functional.batch import Batch, Carry, Outcome
from hub.functional.compiled import precision
from hub.functional.env import FunctionalEnv, Info
from hub.functional.guard import Turn, guarded
from hub.functional.keys import lane_keys
from hub.functional.resume import Resumable
from hub.functional.setup import check_adaptable, episode_limit, resolve_device
from hub.seeds import Mask, SeedLike, Seeds, lane_seeds, parse_seeds, reset_mask

Arrays = Literal["numpy", "device"]
Step = tuple[Any, Any, Any, Any, dict[str, Any]]


class FunctionalVectorEnv(Resumable, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Lanes of one functional environment, stepped by one compiled call.

    Observations, rewards (`float64`) and flags (`bool`) are fresh NumPy arrays. With
    `arrays="device"` they are JAX arrays and nothing is fetched: every info key is there at
    every step, beside its mask, and SAME_STEP has `final_obs` as one `[num_envs, ...]` array.

    Args:
        env: The environment.
        num_envs: Number of lanes.
        max_episode_steps: Episode limit in steps; None takes the environment's own.
        autoreset_mode: `AutoresetMode`, its value (`"NextStep"`, `"SameStep"`, `"Disabled"`) or its
            name.
        render_mode: None, or one of the environment's; `render()` gives a tuple, lane by lane.
        device: `"cpu"`, `"gpu"`, `"gpu:1"`, a JAX device, or None for JAX's choice.
        arrays: What leaves the environment: `"numpy"` or `"device"`.
        params: Parameters instead of the environment's own.

    Raises:
        ValueError: An argument is none of the values above.
        UnknownDevice: JAX has no such device here.
    """

    def __init__(
        self,
        env: FunctionalEnv[Any, Any],
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        device: str | jax.Device | None = None,
        arrays: Arrays = "numpy",
        params: Any = None,
    ) -> None:
        check_adaptable(env, render_mode)
        num_envs = whole("num_envs", num_envs)
        if arrays not in ("numpy", "device"):
            raise ValueError(f"arrays {arrays!r}: expected 'numpy' or 'device'")
        resolve_device(device)  # now, and not at the first reset, far from the mistake
        self.functional, self.num_envs, self.render_mode = env, num_envs, render_mode
        self._lanes = num_envs
        self.autoreset_mode = self._mode = autoreset(autoreset_mode)
        modes = {"render_modes": env.render_modes, "render_fps": env.render_fps}
        self.metadata = {**modes, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = env.observation_space
        self.single_action_space = env.action_space
        self.observation_space = batch_space(env.observation_space, num_envs)
        self.action_space = batch_space(env.action_space, num_envs)
        self._limit = episode_limit(env, max_episode_steps)
        self._device, self._arrays = device, arrays
        self._params = env.params if params is None else params
        self._carry: Carry | None = None
        self._turn = Turn()
        self._ended: Any = np.zeros(num_envs, bool)  # lanes that DISABLED mode may not step

    @guarded
    def reset(
        self,
        *,
        seed: SeedLike = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every lane, or in those of `options["reset_mask"]`.

        Args:
            seed: Lane i gets `seed + i`, or the i-th entry of a list; a lane without a seed goes
                on to the next episode of the seed that it has.
            options: `reset_mask`: `[num_envs] bool` NumPy array.

        Returns:
            Observations and infos (masked where only some lanes were reset).
        """
        given = reset_mask(options, self.num_envs, started=self._carry is not None)
        mask = np.ones(self.num_envs, bool) if given is None else given
        seeds, seeded = self._lane_seeds(seed)
        with precision(self.functional):
            self._begin(seeds, seeded, mask)
            observation, info = self._jits.look(self._carry, self._params)
        self._ended = self._ended & ~mask
        infos: dict[str, Any] = {}
        if self._arrays == "device":
            infos = _masked(info, jnp.asarray(mask))
        else:
            host.add_info(infos, jax.device_get(info), mask)
        return self._handed_out(observation), infos

    @guarded
    def step(self, actions: Any) -> Step:
        """Step every lane.

        Args:
            actions: `[num_envs, ...]`, NumPy or JAX.

        Returns:
            Observations, rewards, terminated, truncated, infos.

        Raises:
            ResetNeeded: Before the first reset, or in DISABLED mode with a lane that has ended.
            InvalidAction: The actions do not fit the action space; no lane was stepped.
        """
        if self._carry is None:
            raise ResetNeeded("call reset() before step()")
        disabled = self.autoreset_mode is AutoresetMode.DISABLED
        if disabled and bool(self._ended.any()):
            raise ResetNeeded(
                f"lanes {np.flatnonzero(self._ended)[:8].tolist()} have ended and autoreset is "
                "DISABLED: call reset(options={'reset_mask': terminated | truncated}) first"
            )
        checked = check_action(self.action_space, actions)
        with precision(self.functional):
            self._carry, outcome = self._jits.step(self._carry, checked, self._params)
        on_device = self._arrays == "device"
        result = self._on_device(outcome) if on_device else self._on_host(outcome)
        if disabled:
            self._ended = result[2] | result[3]
        return result

    @guarded
    def render(self) -> tuple[Any, ...] | None:
        """Draw every lane in the render mode: a tuple of pictures or texts, or None."""
        if self.render_mode is None:
            warn_no_render_mode(self.functional.render_modes)
            return None
        if self._carry is None:
            raise ResetNeeded("call reset() before render()")
        env, batch = self.functional, Batch(self.functional)
        draw = env.ansi if self.render_mode == "ansi" else env.render
        assert draw is not None  # check_adaptable has seen to it
        state, params = jax.device_get((self._carry.state, self._params))
        return tuple(draw(batch.lane(state, i), params) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the device's memory; takes, as Gymnasium's own do, whatever `close` is given.

        Raises:
            ConcurrentUseError: Another thread is inside.
        """
        # A constructor that raised has begun nothing.
        if getattr(self, "_carry", None) is not None:
            with self._turn:
                self._carry = None

    def _is_closed(self) -> bool:
        return bool(self.closed)

    def _resumed(self, pending: Any) -> None:
        if self.autoreset_mode is AutoresetMode.DISABLED:
            self._ended = pending

    def _handed_out(self, observation: Any) -> Any:
        if self._arrays == "device":
            return observation
        return host.fit(self.observation_space, jax.device_get(observation))

    def _lane_seeds(self, seed: SeedLike) -> tuple[Seeds, Mask]:
        """Return a seed for every lane, and which lanes take it (at the first reset, all)."""
        seeds, given = parse_seeds(seed, self.num_envs)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        elif given.any():
            self.np_random = np.random.default_rng([*seeds.tolist(), *given.tolist()])
        if self._carry is not None or given.all():
            return seeds, given
        base = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
        return np.where(given, seeds, lane_seeds(base, self.num_envs)), np.ones_like(given)

    def _begin(self, seeds: Seeds, seeded: Mask, mask: Mask) -> None:
        keys = lane_keys(seeds)
        if self._carry is None:
            place = resolve_device(self._device)
            self._params, keys = jax.device_put((self._params, keys), place)
            self._carry = self._jits.start(keys, self._params)
        else:
            self._carry = self._jits.reset(self._carry, keys, seeded, mask, self._params)

    def _on_host(self, outcome: Outcome) -> Step:
        same = self.autoreset_mode is AutoresetMode.SAME_STEP
        # Each array costs a transfer: fetch what this mode hands out, no more.
        told = same or bool(outcome.info or outcome.state_info)
        started: Any = outcome.started if told else np.zeros(self.num_envs, bool)
        wanted = dataclasses.replace(
            outcome,
            final_observation=outcome.final_observation if same else None,
            started=started,
        )
        got: Outcome = jax.device_get(wanted)
        started = np.array(got.started)
        infos: dict[str, Any] = {}
        if same and started.any():
            infos |= self._final(got, started)
        host.add_info(infos, _step_only(got), ~started)
        host.add_info(infos, got.state_info, np.ones(self.num_envs, bool))
        return (
            host.fit(self.observation_space, got.observation),
            host.exact_rewards(got.reward, self.functional.reward_levels),
            np.array(got.terminated),
            np.array(got.truncated),
            infos,
        )

    def _final(self, got: Outcome, started: Mask) -> dict[str, Any]:
        final: dict[str, Any] = {"final_obs": np.full(self.num_envs, None, dtype=object)}
        for lane in np.flatnonzero(started):
            one = jax.tree.map(lambda leaf, lane=lane: leaf[lane], got.final_observation)
            final["final_obs"][lane] = host.fit(self.single_observation_space, one)
        nested: dict[str, Any] = {}
        host.add_info(nested, got.info, started)
        return final | {
            "_final_obs": started,
            "final_info": nested,
            "_final_info": started.copy(),
        }

    def _on_device(self, outcome: Outcome) -> Step:
        infos = _masked(_step_only(outcome), ~outcome.started)
        infos |= _masked(outcome.state_info, jnp.ones_like(outcome.started))
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos |= {"final_obs": outcome.final_observation, "_final_obs": outcome.started}
            nested = _masked(outcome.info, outcome.started)
            infos |= {"final_info": nested, "_final_info": outcome.started}
        return (
            outcome.observation,
            outcome.reward,
            outcome.terminated,
            outcome.truncated,
            infos,
        )


def _step_only(outcome: Outcome) -> Info:
    """Leave out what the next state says itself: its own word is newer after a reset."""
    return {k: v for k, v in outcome.info.items() if k not in outcome.state_info}


def _masked(info: Info, mask: jax.Array) -> dict[str, Any]:
    """Put beside every key its mask; the lanes outside it keep whatever was computed."""
    masked: dict[str, Any] = {}
    for key, value in info.items():
        masked[key] = _masked(value, mask) if isinstance(value, dict) else value
        masked[f"_{key}"] = mask
    return masked
