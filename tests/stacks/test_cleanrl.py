"""Loops written as CleanRL writes them log every episode on native lanes, in both styles."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import hub
from hub.adapters import list_infos
from tests import need

LANES, LIMIT, STEPS = 16, 20, 200


def lanes(pong: str, mode: str, limit: int = LIMIT) -> Any:
    return RecordEpisodeStatistics(
        gymnasium.make_vec(pong, LANES, autoreset_mode=mode, max_episode_steps=limit)
    )


def test_a_loop_of_gymnasium_029_logs_every_episode(pong: str) -> None:
    envs = list_infos(lanes(pong, "SameStep"))
    envs.reset(seed=1)
    logged: list[tuple[float, int]] = []
    for _ in range(STEPS):
        _, _, terminations, truncations, infos = envs.step(envs.action_space.sample())
        done = np.logical_or(terminations, truncations)
        if "final_info" in infos:
            for info in infos["final_info"]:
                if info and "episode" in info:
                    logged.append((float(info["episode"]["r"]), int(info["episode"]["l"])))
            for lane, ended in enumerate(done):
                assert (infos["final_observation"][lane] is not None) == ended
    assert [length for _, length in logged] == [LIMIT] * (LANES * STEPS // LIMIT)


@pytest.mark.parametrize(("mode", "period"), [("SameStep", LIMIT), ("NextStep", LIMIT + 1)])
def test_a_loop_of_today_logs_every_episode_in_both_modes(
    pong: str, mode: str, period: int
) -> None:
    envs = lanes(pong, mode)
    envs.reset(seed=1)
    logged = []
    for _ in range(STEPS):
        observations, _, terminations, truncations, infos = envs.step(envs.action_space.sample())
        for lane in np.flatnonzero(terminations | truncations):
            last = hub.final_transition(infos, int(lane), observations)
            assert last.observation in envs.single_observation_space
            logged.append(int(last.info["episode"]["l"]))
    assert logged == [LIMIT] * (LANES * ((STEPS + period - LIMIT) // period))


@pytest.mark.usefixtures("torch_seeded")
def test_a_policy_gradient_loop_in_its_style_changes_the_policy(pong: str) -> None:
    torch = need.module("torch")
    envs = list_infos(lanes(pong, "SameStep", limit=100))  # time for the first points
    policy = torch.nn.Sequential(
        torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, envs.single_action_space.n)
    )
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    before = policy[0].weight.detach().clone()
    observations, _ = envs.reset(seed=1)
    for _ in range(2):
        losses = []
        for _ in range(100):
            choice = torch.distributions.Categorical(logits=policy(torch.from_numpy(observations)))
            actions = choice.sample()
            observations, rewards, *_ = envs.step(actions.numpy())
            losses.append(-(choice.log_prob(actions) * torch.from_numpy(rewards)).mean())
        optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        optimizer.step()
    assert not torch.equal(before, policy[0].weight)
