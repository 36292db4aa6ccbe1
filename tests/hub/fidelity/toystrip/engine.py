"""A walk on a strip with an icy cell, a pit and a goal: all lanes at once, in NumPy."""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hub.threefry import draw

SIZE, ICE, PIT, LIMIT = 12, 6, 0, 40
GOAL, STEP_COST = 1.0, -0.1
MOVES = (-1, 0, 1)


def move(x, direction):
    return x + direction


def slide(x, direction):
    return np.where(x == ICE, x + direction, x)


def bound(x, direction):
    return np.clip(x, 0, SIZE - 1)


ORDER = (move, slide, bound)


def advance(x, actions):
    directions = np.take(MOVES, actions)
    for rule in ORDER:
        x = rule(x, directions)
    return x


def reward(x, target):
    return np.where(x == target, GOAL, np.where(x == PIT, -GOAL, STEP_COST))


def spawn(seed, draws):
    word = int(draw(int(seed), int(draws)))
    return 2 + word % 3, 8 + (word >> 8) % 4


class StripVector(VectorEnv):
    def __init__(self, num_envs=1):
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.DISABLED}
        self.single_observation_space = Box(0.0, 1.0, (2,), np.float32)
        self.single_action_space = Discrete(3)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.x, self.target, self.elapsed = np.zeros((3, num_envs), int)
        self.seeds, self.draws = np.zeros(num_envs, np.uint64), np.zeros(num_envs, int)

    def reset(self, *, seed=None, options=None):
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        if isinstance(seed, int):
            seed = [seed + i for i in range(self.num_envs)]
        for lane in np.flatnonzero(mask):
            if seed is not None and seed[lane] is not None:
                self.seeds[lane], self.draws[lane] = seed[lane], 0
            self.x[lane], self.target[lane] = spawn(self.seeds[lane], self.draws[lane])
            self.draws[lane] += 1
            self.elapsed[lane] = 0
        return self._observe(), {}

    def step(self, actions):
        self.x = advance(self.x, actions)
        self.elapsed += 1
        terminated = (self.x == self.target) | (self.x == PIT)
        return self._observe(), reward(self.x, self.target), terminated, self.elapsed >= LIMIT, {}

    def _observe(self):
        return (np.stack([self.x, self.target], 1) / np.float32(SIZE - 1)).astype(np.float32)


class Strip(gymnasium.Env):
    """The engine as a single environment, for `gymnasium.make`."""

    def __init__(self, render_mode=None):
        self.lanes = StripVector(1)
        self.observation_space = self.lanes.single_observation_space
        self.action_space = self.lanes.single_action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.lanes.reset(seed=None if seed is None else [seed])[0][0], {}

    def step(self, action):
        batch, rewards, terminated, truncated, _ = self.lanes.step(np.array([action]))
        return batch[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}
