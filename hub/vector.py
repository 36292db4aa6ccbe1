"""`NativeVectorEnv`: a `gymnasium.vector.VectorEnv` over a native core (`hub.native`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hub.arguments import (
    INT32_MAX,
    autoreset,
    cast_actions,
    check_kind,
    check_shape,
    dense,
    switch,
    whole,
    whole_or_none,
)
from hub.core_host import CoreHost
from hub.native import CoreFactory, Draw, fresh, lane_of
from hub.seeds import SeedLike, lane_seeds, parse_seeds, reset_mask

Step = tuple[
    Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
]


class NativeVectorEnv(CoreHost, VectorEnv[Any, Any, npt.NDArray[Any]]):
    """All lanes of a native core behind Gymnasium's vector interface.

    Observations come batched as `batch_space(single_observation_space)`, rewards as
    `[num_envs] float64`, both flags as `[num_envs] bool`, all of them fresh arrays unless `copy` is
    False. Autoreset, episode limit and random streams live in the core; lane `i` after
    `reset(seed=s)` is exactly the single environment after `reset(seed=s + i)`.

    Args:
        factory: Binds the core to its arrays.
        observation_space: Of one lane.
        action_space: Of one lane: Box, Discrete, MultiBinary or MultiDiscrete.
        num_envs: Lanes, 1 or more.
        max_episode_steps: Steps after which a lane truncates, or None.
        autoreset_mode: `gymnasium.vector.AutoresetMode`, its value (`"NextStep"`, `"SameStep"`,
            `"Disabled"`) or its name.
        copy: False hands out the core's own arrays, which the next call overwrites.
        num_threads: Threads that step the batch; None chooses by lanes and usable cores.
        render_mode: One of `metadata["render_modes"]`, or None.
        draw: Makes the frame of one lane.

    Raises:
        ValueError: An argument is of another kind or out of range.
        TypeError: The action space is of another kind.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # instances have their own

    def __init__(
        self,
        factory: CoreFactory,
        observation_space: Space[Any],
        action_space: Space[Any],
        *,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int | None = None,
        render_mode: str | None = None,
        draw: Draw | None = None,
    ) -> None:
        num_envs = whole("num_envs", num_envs)
        limit = whole_or_none("max_episode_steps", max_episode_steps)
        threads = whole_or_none("num_threads", num_threads, INT32_MAX)
        if not isinstance(action_space, (Box, Discrete, MultiBinary, MultiDiscrete)):
            raise TypeError(
                f"action space {action_space}: a native core takes actions as one array, "
                "expected Box, Discrete, MultiBinary or MultiDiscrete"
            )
        self.autoreset_mode = autoreset(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.copy = switch("copy", copy)
        self.single_observation_space = observation_space
        self.single_action_space = action_space
        self.observation_space = batch_space(observation_space, num_envs)
        self.action_space = batch_space(action_space, num_envs)
        assert self.action_space.shape is not None  # these spaces batch to one array
        self._action_shape = self.action_space.shape
        settings = (self.autoreset_mode, limit, threads)
        self._host(factory, (observation_space, num_envs, *settings), render_mode, draw)

    @property
    def num_threads(self) -> int:
        """How many threads step the batch."""
        return self._core.num_threads

    def reset(
        self, *, seed: SeedLike = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every lane, or in those of `options["reset_mask"]`.

        Args:
            seed: Lane `i` gets `(seed + i) mod 2**64`; a list gives each lane its own, where None
                goes on with the lane's stream. Without a seed every stream goes on; the first
                reset then seeds them from `np_random`.
            options: `{"reset_mask": [num_envs] bool}`; the dict is not changed.

        Returns:
            The observations of all lanes, and an empty dict.
        """
        self._check_open()
        mask = reset_mask(options, self.num_envs, started=self._started)
        seeds, given = parse_seeds(seed, self.num_envs)
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        elif given.any():
            self.np_random = np.random.default_rng([*seeds.tolist(), *given.tolist()])
        if not (self._started or given.all()):
            base = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
            seeds = np.where(given, seeds, lane_seeds(base, self.num_envs))
            given = np.ones_like(given)
        if given.all():
            self._core.reset(seeds, mask)
        elif not given.any():
            self._core.reset(None, mask)
        else:
            wanted = np.ones_like(given) if mask is None else mask
            self._core.reset(seeds, wanted & given)
            self._core.reset(None, wanted & ~given)
        self._started = True
        return self._observe(), {}

    def step(self, actions: Any) -> Step:
        """Step every lane.

        Args:
            actions: An array of `action_space`; lists, other integers and strides are converted.

        Returns:
            Observations, rewards, terminations, truncations and infos. Under SAME_STEP infos hold
            `final_obs` and `final_info` of the lanes that ended, with their masks.

        Raises:
            InvalidAction: An action is outside the space, or the actions are of another shape, of
                another kind (floats for whole numbers) or masked; no lane was stepped.
            gymnasium.error.ResetNeeded: Before the first reset, or when a lane that ended was not
                reset under DISABLED.
        """
        if (
            type(actions) is not np.ndarray
            or actions.dtype != self.action_space.dtype
            or actions.shape != self._action_shape
            or not actions.flags.c_contiguous
        ):
            actions = self._converted(actions)
        ended = self._core.step(actions)
        lanes = self._lanes
        infos = self._final() if ended and lanes.final_observations is not None else {}
        if not self.copy:
            return lanes.observations, lanes.rewards, lanes.terminations, lanes.truncations, infos
        return (
            self._observe(),
            lanes.rewards.copy(),
            lanes.terminations.copy(),
            lanes.truncations.copy(),
            infos,
        )

    def _converted(self, actions: Any) -> npt.NDArray[Any]:
        """Return the actions in the form that the core takes.

        Raises:
            ClosedError: After `close`.
            ResetNeeded: Before the first reset.
            InvalidAction: They do not fit the space.
        """
        self._check_open()
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        array, wanted = dense(actions), np.dtype(self.action_space.dtype)
        check_kind(array, wanted)
        check_shape(array, self._action_shape)
        return cast_actions(array, wanted)

    def _final(self) -> dict[str, Any]:
        """Lay out the last observations of this step's episodes as Gymnasium does."""
        mask = self._lanes.terminations | self._lanes.truncations
        last = np.full(self.num_envs, None, dtype=object)
        for lane in np.flatnonzero(mask).tolist():
            last[lane] = lane_of(self._lanes.final_observations, lane)
        return {
            "final_obs": last,
            "_final_obs": mask,
            "final_info": {},
            "_final_info": mask.copy(),
        }

    def render(self) -> tuple[Any, ...] | None:
        """Return one frame per lane, or None without a render mode."""
        if self.render_mode is None:
            self._frame(0)
            return None
        return tuple(self._frame(lane) for lane in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Free the core; every later call raises `ClosedError`."""
        # Gymnasium 1.1 and 1.2 also close what failed to be constructed.
        if hasattr(self, "_core"):
            self._close_core()

    def _bind(self) -> None:
        super()._bind()
        batch = self._lanes.observations
        if not self.copy:
            self._observe = lambda: batch
        elif isinstance(batch, np.ndarray):
            self._observe = batch.copy
        else:
            self._observe = lambda: fresh(batch)
