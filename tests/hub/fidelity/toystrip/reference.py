"""The same walk, written plainly."""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from hub.threefry import draw


def after(x, action):
    direction = action - 1
    x += direction
    if x == 6:
        x += direction
    return min(max(x, 0), 11)


def value(x, target):
    if x == target:
        return 1.0
    return -1.0 if x == 0 else -0.1


class StripReference(gymnasium.Env):
    observation_space = Box(0.0, 1.0, (2,), np.float32)
    action_space = Discrete(3)
    seed, draws = 0, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.seed, self.draws = seed, 0
        word = int(draw(self.seed, self.draws))
        self.draws += 1
        self.x, self.target, self.elapsed = 2 + word % 3, 8 + word // 256 % 4, 0
        return self._observe(), {}

    def step(self, action):
        self.x, self.elapsed = after(self.x, int(action)), self.elapsed + 1
        over = self.x in (0, self.target)
        return self._observe(), value(self.x, self.target), over, self.elapsed >= 40, {}

    def _observe(self):
        return np.array([self.x, self.target], np.float32) / np.float32(11)
