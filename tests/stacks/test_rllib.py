"""RLlib's environment runner samples hub ids: one process, lanes by SyncVectorEnv and native ones.

ray[rllib] pins an older Gymnasium, so this runs in an installation of its own.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests import need

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("torch_seeded")]

LANES, LIMIT, STEPS = 8, 50, 2000


def config(pong: str, mode: str) -> Any:
    rllib = need.module("ray.rllib.algorithms.algorithm_config")
    spec = need.module("ray.rllib.core.rl_module.rl_module").RLModuleSpec
    random = need.module("ray.rllib.examples.rl_modules.classes.random_rlm").RandomRLModule
    return (
        rllib.AlgorithmConfig()
        .environment(pong, env_config={"max_episode_steps": LIMIT})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=LANES, gym_env_vectorize_mode=mode)
        .rl_module(rl_module_spec=spec(module_class=random))
    )


@pytest.mark.parametrize(
    ("mode", "vector"), [("sync", "SyncVectorEnv"), ("vector_entry_point", "PongVectorEnv")]
)
def test_the_environment_runner_samples_whole_episodes(pong: str, mode: str, vector: str) -> None:
    runner = need.module("ray.rllib.env.single_agent_env_runner").SingleAgentEnvRunner
    run = runner(config=config(pong, mode))
    try:
        assert type(run.env.unwrapped).__name__ == vector
        episodes = run.sample(num_timesteps=STEPS, random_actions=True)
        assert sum(len(episode) for episode in episodes) == STEPS
        ended = [episode for episode in episodes if episode.is_done]
        assert len(ended) >= LANES * (STEPS // LANES // LIMIT - 1)
        for episode in ended:
            assert (len(episode), episode.is_truncated) == (LIMIT, True)
            assert episode.get_observations().shape == (LIMIT + 1, 8)
    finally:
        run.stop()
