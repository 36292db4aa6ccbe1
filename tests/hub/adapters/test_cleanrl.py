from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from hub.adapters import list_infos


def cartpole(mode: AutoresetMode) -> Any:
    return gymnasium.make_vec(
        "CartPole-v1",
        2,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        max_episode_steps=4,
    )


def test_ended_episodes_are_lists_over_lanes() -> None:
    env = list_infos(RecordEpisodeStatistics(cartpole(AutoresetMode.SAME_STEP)))
    env.reset(seed=0)
    for _ in range(3):
        assert env.step(np.zeros(2, np.int64))[4] == {}
    observations, _, _, truncations, infos = env.step(np.zeros(2, np.int64))
    assert truncations.all()
    assert set(infos) == {f"{m}final_{n}" for m in ("", "_") for n in ("observation", "info")}
    for lane in range(2):
        assert infos["final_info"][lane]["episode"]["l"] == 4
        assert not np.array_equal(infos["final_observation"][lane], observations[lane])


def test_lanes_that_go_on_have_none() -> None:
    env = list_infos(RecordEpisodeStatistics(cartpole(AutoresetMode.SAME_STEP)))
    env.reset(seed=0)
    env.env.env.envs[1].reset(seed=5)  # type: ignore[attr-defined]  # two wrappers over a SyncVectorEnv
    env.env.env.envs[0].unwrapped.state = np.array([2.39, 9.0, 0.0, 0.0])  # type: ignore[attr-defined]  # out of bounds after one step
    _, _, terminations, _, infos = env.step(np.zeros(2, np.int64))
    assert terminations.tolist() == [True, False]
    assert infos["final_info"][1] is infos["final_observation"][1] is None
    assert infos["_final_info"].tolist() == [True, False]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_another_autoreset_mode_is_refused_with_the_fix(mode: AutoresetMode) -> None:
    with pytest.raises(ValueError, match=r"needs SAME_STEP.*autoreset_mode='SameStep'"):
        list_infos(cartpole(mode))
