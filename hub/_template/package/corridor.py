"""Walk along a corridor to its lit door.

Observation: `[2]` float32: where the walker stands and where the door is, both from 0 (left end)
to 1 (right end).
Action: 0 one cell left, 1 one cell right; a wall stops the walker.
Reward: 1 on reaching the door, -0.01 for every other step.
End: terminated at the door; truncated by the card's limit of 100 steps.
Reset: walker and door stand in two different cells, drawn uniformly.
"""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import hub

STEP_REWARD = -0.01
DOOR_REWARD = 1.0


class Corridor(gymnasium.Env[NDArray[np.float32], np.int64]):
    """The corridor; see the module's docstring for the rules.

    Args:
        cells: Its length in cells, at least 2.
        render_mode: `"ansi"` for a line of text, or None.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 8}

    def __init__(self, cells: int = 12, render_mode: str | None = None) -> None:
        if cells < 2:
            raise ValueError(f"cells {cells}: expected at least 2")
        self.cells = cells
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw walker and door by the environment's own generator."""
        super().reset(seed=seed)
        walker, door = self.np_random.choice(self.cells, 2, replace=False)
        self._walker, self._door, self._over = int(walker), int(door), False
        return self._observe(), {}

    def step(
        self, action: np.int64
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Move one cell; a fresh observation, Python float and bool each time."""
        if self._over:
            raise RuntimeError("step after the end of the episode: call reset first")
        if not self.action_space.contains(action):
            raise hub.InvalidAction(f"action {action!r}: expected 0 (left) or 1 (right)")
        self._walker = min(max(self._walker + (1 if action == 1 else -1), 0), self.cells - 1)
        self._over = self._walker == self._door
        reward = DOOR_REWARD if self._over else STEP_REWARD
        return self._observe(), reward, self._over, False, {}

    def render(self) -> str | None:
        """Return the corridor as one line: `@` the walker, `D` the door."""
        if self.render_mode is None:
            return None
        line = ["."] * self.cells
        line[self._door] = "D"
        line[self._walker] = "@"
        return "".join(line)

    def _observe(self) -> NDArray[np.float32]:
        last = self.cells - 1
        return np.array([self._walker / last, self._door / last], np.float32)
