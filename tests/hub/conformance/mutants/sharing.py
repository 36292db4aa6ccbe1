"""Vector environments whose lanes share one generator: a good one, and some that break one rule."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from tests.hub.conformance.mutants.good import Good
from tests.hub.conformance.mutants.lanes import Batch


class OneGenerator(VectorEnv[Any, Any, Any]):
    """Good, but all lanes draw from one generator, as Gymnasium's CartPoleVectorEnv does."""

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}
    reward_of_reset, ignores_action = 0.0, True

    def __init__(self, num_envs: int = 1, max_episode_steps: int = 20) -> None:
        self.num_envs, self.limit = num_envs, max_episode_steps
        single = Good()
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(
            single.observation_space, num_envs
        )
        self.action_space = gymnasium.vector.utils.batch_space(single.action_space, num_envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-1, 1, (self.num_envs, 3)).astype(np.float32)
        self.t = np.zeros(self.num_envs, int)
        self.pending = np.zeros(self.num_envs, bool)
        return self.x.copy(), {}

    def step(self, actions: Any) -> Batch:
        fresh = self.np_random.uniform(-1, 1, self.x.shape).astype(np.float32)
        push = np.float32(0.2) * (np.asarray(actions)[:, None] - 1).astype(np.float32)
        if not self.ignores_action:
            fresh += push
        reset = self.pending
        self.x = np.where(reset[:, None], fresh, self.x + push)
        self.t = np.where(reset, 0, self.t + 1)
        reward = np.where(reset, self.reward_of_reset, -np.abs(self.x[:, 0])).astype(np.float64)
        terminated = ~reset & (np.abs(self.x[:, 0]) > 1.5)
        truncated = ~reset & (self.t >= self.limit)
        self.pending = terminated | truncated
        return self.x.copy(), reward, terminated, truncated, {}


class OneGeneratorRewardsTheReset(OneGenerator):
    reward_of_reset = 4.0


class OneGeneratorActsInTheReset(OneGenerator):
    ignores_action = False


class OneGeneratorWithFinals(OneGenerator):
    def step(self, actions: Any) -> Batch:
        result = super().step(actions)
        finals = {"final_obs": np.array([*result[0], None], object)[:-1]}
        return (*result[:4], {**finals, "_final_obs": self.pending} if self.pending.any() else {})
