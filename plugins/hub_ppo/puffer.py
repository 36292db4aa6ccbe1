"""PufferLib's own C Pong as a Gymnasium vector environment, for a row of the suite `train`.

PufferLib could not be installed where this was written: it follows PufferLib 3.0's published
interface and has not been run against it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space


class PufferPong(VectorEnv[Any, Any, Any]):
    """Lanes of PufferLib's Pong; an episode that ends begins anew in the same step.

    It never truncates, so no step has a `final_obs` to hand out.

    Args:
        num_envs: Lanes.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # as Gymnasium's

    def __init__(self, num_envs: int) -> None:
        from pufferlib.ocean.pong.pong import (  # type: ignore[import-not-found]  # optional
            Pong,
        )

        self._pong = Pong(num_envs=num_envs)
        self.num_envs = num_envs
        self.single_observation_space = self._pong.single_observation_space
        self.single_action_space = self._pong.single_action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every lane."""
        observations, _ = self._pong.reset(seed=seed)
        return np.array(observations), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every lane."""
        seen, rewards, terminated, truncated, _ = self._pong.step(np.asarray(actions, np.int32))
        return np.array(seen), np.array(rewards), terminated != 0, truncated != 0, {}

    def close_extras(self, **kwargs: Any) -> None:
        """Free PufferLib's buffers."""
        self._pong.close()
