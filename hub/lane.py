"""`NativeEnv`: a `gymnasium.Env` over one lane of a native core (`hub.native`)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode

from hub.core_host import CoreHost
from hub.native import CoreFactory, Draw, lane_of
from hub.seeds import as_seed, check_options, lane_seeds


class NativeEnv(CoreHost, gymnasium.Env[Any, Any]):
    """One lane of a native core as a single environment.

    Rewards are Python floats, flags Python bools, observations fresh arrays. The episode limit is
    Gymnasium's `TimeLimit`, which `make` puts around it.

    Args:
        factory: Binds the core to its arrays.
        observation_space: Of the environment.
        action_space: Of the environment.
        render_mode: One of `metadata["render_modes"]`, or None.
        draw: Makes the frame.
    """

    def __init__(
        self,
        factory: CoreFactory,
        observation_space: Space[Any],
        action_space: Space[Any],
        *,
        render_mode: str | None = None,
        draw: Draw | None = None,
    ) -> None:
        # Gymnasium 1.1 and 1.2 write the autoreset mode into the metadata of what they vectorise.
        self.metadata = dict(type(self).metadata)
        self.observation_space = observation_space
        self.action_space = action_space
        layout = (observation_space, 1, AutoresetMode.DISABLED, None, 1)
        self._host(factory, layout, render_mode, draw)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: 0 to 2**64 - 1, starts the random stream anew. Without one the stream goes on;
                the first reset then seeds it from `np_random`.
            options: None or empty.

        Returns:
            The observation and an empty dict.
        """
        self._check_open()
        check_options(options)
        if seed is not None:
            seed = as_seed(seed)
            super().reset(seed=seed)
        elif not self._started:
            seed = int(self.np_random.integers(0, 1 << 64, dtype=np.uint64))
        self._core.reset(None if seed is None else lane_seeds(seed, 1), None)
        self._started = True
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance by one action.

        Raises:
            InvalidAction: The action is outside the space; nothing was stepped.
            gymnasium.error.ResetNeeded: Before `reset`, or after the end of the episode.
        """
        reward, terminated, truncated = self._step_lane(action)
        return self._observe(), reward, terminated, truncated, {}

    def render(self) -> Any:
        """Return the current frame, or None without a render mode."""
        return self._frame(0)

    def close(self) -> None:
        """Free the core; every later call but another `close` raises `ClosedError`."""
        self._close_core()
        super().close()

    _bound = CoreHost._bound | {"_step_lane"}

    def _bind(self) -> None:
        super()._bind()
        self._step_lane = self._core.step_lane
        batch = self._lanes.observations
        row = batch[0] if isinstance(batch, np.ndarray) else None
        if isinstance(row, np.ndarray):
            self._observe = row.copy
        else:
            self._observe = lambda: lane_of(batch, 0)
