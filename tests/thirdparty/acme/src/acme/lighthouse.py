"""Turn the lamp towards the ship before it passes.

Observation: `[2]` float32: bearing of the lamp and of the ship, in turns from 0 to 1.
Action: 0 turn left, 1 hold, 2 turn right, by `speed` of a turn.
Reward: 1 when the lamp is within half a `speed` of the ship, else 0.
End: terminated when the ship is lit; truncated by the card's limit of 50 steps.
Reset: lamp and ship at independent uniform bearings.
"""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray


class Lighthouse(gymnasium.Env[NDArray[np.float32], np.int64]):
    """The lighthouse; see the module's docstring.

    Args:
        speed: Turns a step, above 0 and at most 0.5.
        render_mode: `"ansi"`, or None.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 8}  # noqa: RUF012 - Gymnasium's form

    def __init__(self, speed: float = 0.05, render_mode: str | None = None) -> None:
        if not 0 < speed <= 0.5:
            raise ValueError(f"speed {speed}: expected above 0 and at most 0.5")
        self.speed = speed
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw both bearings."""
        super().reset(seed=seed)
        self._lamp, self._ship = (float(b) for b in self.np_random.random(2))
        self._over = False
        return self._observe(), {}

    def step(
        self, action: np.int64
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Turn the lamp."""
        if self._over:
            raise RuntimeError("step after the end of the episode: call reset first")
        if not self.action_space.contains(action):
            raise ValueError(f"action {action!r}: expected 0, 1 or 2")
        self._lamp = (self._lamp + (int(action) - 1) * self.speed) % 1.0
        apart = abs(self._lamp - self._ship)
        self._over = min(apart, 1 - apart) <= self.speed / 2
        return self._observe(), float(self._over), self._over, False, {}

    def render(self) -> str | None:
        """Return both bearings in words."""
        if self.render_mode is None:
            return None
        return f"lamp {self._lamp:.2f}, ship {self._ship:.2f}"

    def _observe(self) -> NDArray[np.float32]:
        return np.array([self._lamp, self._ship], np.float32)
