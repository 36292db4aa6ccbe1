"""A clock for tests: the observation counts the steps, so that every value can be worked out."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv


class Clockwork(gymnasium.Env[Any, Any]):
    """Observation `[k, offset]`, reward `k + action` for the k-th step; ends after `length` steps.

    Args:
        length: Steps of an episode.
        truncates: It ends by truncation rather than termination.
        offset: Tells lanes apart.
    """

    def __init__(self, length: int, truncates: bool, offset: float = 0.0) -> None:
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self._length, self._truncates, self._offset = length, truncates, offset
        self._k = 0

    def _look(self) -> Any:
        return np.array([self._k, self._offset], np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._k = 0
        return self._look(), {}

    def step(self, action: Any) -> Any:
        self._k += 1
        ended = self._k == self._length
        reward = float(self._k + action)
        return self._look(), reward, ended and not self._truncates, ended and self._truncates, {}


def clockworks(mode: AutoresetMode, *, truncates: bool) -> SyncVectorEnv:
    """Three lanes whose episodes have 2, 3 and 5 steps."""
    makers = [
        lambda n=n, i=i: Clockwork(n, truncates, i / 4)  # type: ignore[misc]  # bound early
        for i, n in enumerate((2, 3, 5))
    ]
    return SyncVectorEnv(makers, autoreset_mode=mode)
