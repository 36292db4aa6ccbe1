"""TorchRL takes hub ids by GymEnv and native lanes by GymWrapper."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests import need

pytestmark = [pytest.mark.usefixtures("torch_seeded"), pytest.mark.slow]

LANES, LIMIT = 16, 20


@pytest.fixture
def envs() -> Any:
    return need.module("torchrl.envs")


def native(pong: str, mode: str, limit: int = LIMIT) -> Any:
    return gymnasium.make_vec(pong, LANES, autoreset_mode=mode, max_episode_steps=limit)


def test_its_checker_passes_an_id(envs: Any, pong: str) -> None:
    env = envs.GymEnv(pong)
    envs.check_env_specs(env)
    assert env.rollout(200)["observation"].shape == (200, 8)


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_rollouts_of_native_lanes_end_and_restart_each_lane(
    envs: Any, pong: str, mode: str
) -> None:
    env = envs.GymWrapper(native(pong, mode))
    data = env.rollout(3 * LIMIT, break_when_any_done=False)
    assert data.batch_size == (LANES, 3 * LIMIT)
    ends = np.flatnonzero(data["next", "done"][0, :, 0].numpy())
    assert ends.tolist() == [LIMIT - 1, 2 * LIMIT - 1, 3 * LIMIT - 1]
    assert not data["next", "terminated"].any()
    # What follows an end is the next episode's start, not its last observation again.
    last, start = data["next", "observation"][:, LIMIT - 1], data["observation"][:, LIMIT]
    assert not (last == start).all()


def test_next_step_lanes_are_refused_by_it_in_clear_words(envs: Any, pong: str) -> None:
    with pytest.raises(RuntimeError, match=r"(?i)autoreset"):
        envs.GymWrapper(native(pong, "NextStep"))


def test_a_collector_trains_a_policy_on_native_lanes(envs: Any, pong: str) -> None:
    torch = need.module("torch")
    modules = need.module("torchrl.modules")
    nn = need.module("tensordict.nn")
    collectors = need.module("torchrl.collectors")
    net = torch.nn.Linear(8, 3)
    actor = modules.ProbabilisticActor(
        nn.TensorDictModule(net, in_keys=["observation"], out_keys=["logits"]),
        in_keys=["logits"],
        distribution_class=modules.OneHotCategorical,
        return_log_prob=True,
    )
    env = envs.GymWrapper(native(pong, "SameStep", limit=200))  # time for points
    collector = collectors.Collector(env, actor, frames_per_batch=1024, total_frames=4096)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before, frames = net.weight.detach().clone(), 0
    for data in collector:
        frames += data.numel()
        chosen = actor.get_dist(data).log_prob(data["action"])
        optimizer.zero_grad()
        (-(chosen * data["next", "reward"].squeeze(-1)).mean()).backward()
        optimizer.step()
    collector.shutdown()
    assert frames == 4096
    assert not torch.equal(before, net.weight)
