"""Stable-Baselines3 trains on hub ids: single, in spawned workers, and native lanes by adapter."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests import need

pytestmark = pytest.mark.usefixtures("torch_seeded")


def ppo(env: Any, n_steps: int) -> Any:
    sb3 = need.module("stable_baselines3")
    return sb3.PPO(
        "MlpPolicy", env, n_steps=n_steps, batch_size=256, n_epochs=2, seed=0, device="cpu"
    )


def parameters(model: Any) -> Any:
    return np.concatenate([p.detach().numpy().ravel() for p in model.policy.parameters()])


def test_its_checker_passes_the_single_environment(pong: str) -> None:
    checker = need.module("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(pong).unwrapped)


def test_ppo_trains_on_an_id(pong: str) -> None:
    model = ppo(pong, 1024)
    before = parameters(model)
    model.learn(2048)
    assert model.num_timesteps == 2048
    assert not np.array_equal(before, parameters(model))


@pytest.mark.slow
def test_ids_work_in_its_spawned_workers(pong: str) -> None:
    util = need.module("stable_baselines3.common.env_util")
    vec_env = need.module("stable_baselines3.common.vec_env")
    env = util.make_vec_env(
        pong,
        n_envs=2,
        seed=0,
        vec_env_cls=vec_env.SubprocVecEnv,
        vec_env_kwargs={"start_method": "spawn"},
    )
    try:
        env.reset()
        for _ in range(100):
            observations, rewards, _, _ = env.step(np.zeros(2, np.int64))
        assert observations.shape == (2, 8)
        assert rewards.shape == (2,)
    finally:
        env.close()


def test_ppo_trains_on_native_lanes_through_the_adapter(pong: str) -> None:
    sb3 = need.module("hub.adapters.sb3")
    monitor = need.module("stable_baselines3.common.vec_env").VecMonitor
    env = gymnasium.make_vec(pong, 32, autoreset_mode="SameStep", max_episode_steps=50)
    model = ppo(monitor(sb3.as_vec_env(env)), 64)
    before = parameters(model)
    model.learn(4096)
    assert model.num_timesteps == 4096
    # 128 steps of 32 lanes, every episode 50 steps long at most.
    assert len(model.ep_info_buffer) >= 2 * 32
    assert not np.array_equal(before, parameters(model))


def test_evaluation_through_the_adapter_plays_whole_episodes(pong: str) -> None:
    sb3 = need.module("hub.adapters.sb3")
    monitor = need.module("stable_baselines3.common.vec_env").VecMonitor
    evaluate = need.module("stable_baselines3.common.evaluation").evaluate_policy
    env = gymnasium.make_vec(pong, 4, autoreset_mode="SameStep", max_episode_steps=20)
    vec = monitor(sb3.as_vec_env(env))
    _, lengths = evaluate(ppo(vec, 64), vec, n_eval_episodes=8, return_episode_rewards=True)
    assert lengths == [20] * 8
