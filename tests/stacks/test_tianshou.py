"""Tianshou collects from hub ids in its own vectorisers and trains on them."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

from tests import need

pytestmark = [pytest.mark.usefixtures("torch_seeded"), pytest.mark.slow]

LIMIT = 50


def algorithm(torch: Any, env: Any) -> Any:
    dqn = need.module("tianshou.algorithm.modelfree.dqn")
    net = need.module("tianshou.utils.net.common").Net
    optim = need.module("tianshou.algorithm.optim").AdamOptimizerFactory
    model = net(state_shape=(8,), action_shape=3, hidden_sizes=[32])
    policy = dqn.DiscreteQLearningPolicy(
        model=model, action_space=env.action_space, eps_training=0.5
    )
    return dqn.DQN(policy=policy, optim=optim(lr=1e-3), target_update_freq=100)


def test_dqn_trains_on_lanes_of_an_id(pong: str) -> None:
    torch = need.module("torch")
    data = need.module("tianshou.data")
    vector = need.module("tianshou.env").DummyVectorEnv
    envs = vector([lambda: gymnasium.make(pong, max_episode_steps=LIMIT)] * 4)
    learner = algorithm(torch, gymnasium.make(pong))
    collector = data.Collector(learner, envs, data.VectorReplayBuffer(4096, 4))
    collector.reset()
    before = [p.detach().clone() for p in learner.policy.parameters()]
    with need.module("tianshou.utils.torch_utils").policy_within_training_step(learner.policy):
        stats = collector.collect(n_step=2000)
        for _ in range(20):
            with need.module("tianshou.utils.torch_utils").torch_train_mode(learner.policy):
                learner.update(buffer=collector.buffer, sample_size=64)
    assert (stats.n_collected_steps, stats.n_collected_episodes) == (2000, 4 * (500 // LIMIT))
    assert (stats.lens == LIMIT).all()
    assert any((a != b).any() for a, b in zip(before, learner.policy.parameters(), strict=True))
