"""`DialogueVectorEnv`: one dialogue environment per lane, stepped by one thread each.

A step waits for sandboxes and graders, not for this process, so threads scale; the batch waits
for its slowest lane. Text travels as `[num_envs]` object arrays, infos as object arrays with
Gymnasium's `_key` masks, because merging ragged token arrays into numeric ones would corrupt them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hub.dialogue.env import DialogueEnv
from hub.seeds import SeedLike, as_seed, lane_seeds, listed_seeds, reset_mask

Texts = NDArray[np.object_]
Step = tuple[str, float, bool, bool, dict[str, Any]]


class DialogueVectorEnv(VectorEnv[Texts, Texts, NDArray[Any]]):
    """`num_envs` lanes of a dialogue environment; see the module's docstring.

    Observations are `[num_envs] object` (str), rewards `[num_envs] float64`, both flags
    `[num_envs] bool`. Lane `i` after `reset(seed=s)` is the single environment after
    `reset(seed=s + i)`.

    Args:
        make: Makes one lane.
        num_envs: Lanes, 1 or more.
        autoreset_mode: `gymnasium.vector.AutoresetMode` or its value.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}  # type: ignore[misc]  # as Gymnasium's classes; instances add their autoreset mode

    def __init__(
        self,
        make: Callable[[], DialogueEnv],
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        if not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs {num_envs!r}: expected a whole number, 1 or more")
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.envs = [make() for _ in range(num_envs)]
        self.render_mode = self.envs[0].render_mode
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._pool = ThreadPoolExecutor(num_envs, thread_name_prefix="dialogue")
        self._ended = np.ones(num_envs, np.bool_)
        self._observations = np.full(num_envs, "", dtype=object)

    def reset(
        self, *, seed: SeedLike = None, options: dict[str, Any] | None = None
    ) -> tuple[Texts, dict[str, Any]]:
        """Begin an episode in every lane, or in those of `options["reset_mask"]`.

        Args:
            seed: Lane `i` gets `seed + i`; a list gives each lane its own, where None lets the
                lane choose.
            options: `{"reset_mask": [num_envs] bool}`, and what the lanes' own `reset` takes.
        """
        mask = reset_mask(options, self.num_envs)
        lanes = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        inner = {k: v for k, v in (options or {}).items() if k != "reset_mask"} or None
        seeds = self._seeds(seed)
        work = [
            self._pool.submit(self.envs[lane].reset, seed=seeds[lane], options=inner)
            for lane in lanes
        ]
        infos: dict[str, Any] = {}
        for lane, done in zip(lanes, [future.result() for future in work], strict=True):
            self._observations[lane], info = done
            self._ended[lane] = False
            _merge(infos, info, lane, self.num_envs)
        return self._observations.copy(), infos

    def _seeds(self, seed: SeedLike) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return list(lane_seeds(as_seed(seed), self.num_envs).tolist())
        seeds, given = listed_seeds(seed, self.num_envs)
        return [s if g else None for s, g in zip(seeds.tolist(), given.tolist(), strict=True)]

    def step(
        self, actions: Any
    ) -> tuple[Texts, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step every lane; `actions` is a sequence of `num_envs` strings (`Said` included)."""
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} lanes")
        if self._ended.any() and self.autoreset_mode is not AutoresetMode.NEXT_STEP:
            lanes = np.flatnonzero(self._ended).tolist()
            raise ResetNeeded(f"lanes {lanes} have ended or not begun; reset them")
        work = [
            self._pool.submit(self._step_lane, lane, actions[lane]) for lane in range(self.num_envs)
        ]
        rewards = np.zeros(self.num_envs, np.float64)
        flags = np.zeros((2, self.num_envs), np.bool_)
        infos: dict[str, Any] = {}
        for lane, (step, last) in enumerate([future.result() for future in work]):
            self._observations[lane], rewards[lane], flags[0, lane], flags[1, lane], info = step
            _merge(infos, info, lane, self.num_envs)
            if last is not None:
                final = {"final_obs": last[0], "final_info": last[1]}
                _merge(infos, final, lane, self.num_envs)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._ended = flags[0] | flags[1]
        return self._observations.copy(), rewards, flags[0].copy(), flags[1].copy(), infos

    def _step_lane(self, lane: int, action: str) -> tuple[Step, tuple[str, dict[str, Any]] | None]:
        """Step one lane; the second value is the last transition where SAME_STEP replaced it."""
        env = self.envs[lane]
        if self._ended[lane]:
            observation, info = env.reset()
            return (observation, 0.0, False, False, info), None
        step = env.step(action)
        observation, reward, terminated, truncated, info = step
        if not (terminated or truncated) or self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return step, None
        fresh, fresh_info = env.reset()
        return (fresh, reward, terminated, truncated, fresh_info), (observation, info)

    def render(self) -> tuple[str | None, ...]:
        """Return each lane's conversation as text."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """End every sandbox and thread."""
        for env in self.envs:
            env.close()
        self._pool.shutdown(cancel_futures=True)


def _merge(infos: dict[str, Any], info: dict[str, Any], lane: int, num_envs: int) -> None:
    for key, value in info.items():
        column = infos.setdefault(key, np.full(num_envs, None, dtype=object))
        mask = infos.setdefault(f"_{key}", np.zeros(num_envs, np.bool_))
        column[lane] = value
        mask[lane] = True
