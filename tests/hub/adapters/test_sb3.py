"""The Stable-Baselines3 view against Gymnasium's own vector environment, step by step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests import need

SAME_STEP = {"autoreset_mode": AutoresetMode.SAME_STEP}


@pytest.fixture
def as_vec_env() -> Any:
    need.module("stable_baselines3")
    return need.module("hub.adapters.sb3").as_vec_env


def cartpole(limit: int = 5) -> Any:
    return gymnasium.make_vec(
        "CartPole-v1",
        3,
        vectorization_mode="sync",
        vector_kwargs=SAME_STEP,
        max_episode_steps=limit,
    )


def test_it_gives_what_its_own_vectoriser_gives(as_vec_env: Any) -> None:
    vec_env = need.module("stable_baselines3.common.vec_env")
    ours = as_vec_env(cartpole())
    make = lambda: gymnasium.make("CartPole-v1", max_episode_steps=5)  # noqa: E731 - one line
    theirs = vec_env.DummyVecEnv([make] * 3)
    for env in (ours, theirs):
        env.seed(7)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    for step in range(4):
        mine, yours = (env.step(np.full(3, step % 2)) for env in (ours, theirs))
        for a, b in zip(mine[:3], yours[:3], strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
    # Afterwards each resets with entropy of its own; the end itself is the same.
    mine, yours = (env.step(np.zeros(3, np.int64)) for env in (ours, theirs))
    assert mine[2].all()
    for a, b in zip(mine[3], yours[3], strict=True):
        np.testing.assert_array_equal(a["terminal_observation"], b["terminal_observation"])
        assert a["TimeLimit.truncated"] is b["TimeLimit.truncated"] is True


def test_a_termination_is_no_time_limit(as_vec_env: Any) -> None:
    env = as_vec_env(cartpole(limit=500))
    env.seed(0)
    env.reset()
    for _ in range(12):
        _, _, dones, infos = env.step(np.zeros(3, np.int64))
        if dones.any():
            break
    lane = int(np.flatnonzero(dones)[0])
    assert infos[lane]["TimeLimit.truncated"] is False
    assert abs(infos[lane]["terminal_observation"][2]) > 0.2


def test_infos_are_separate_dicts_that_may_be_changed(as_vec_env: Any) -> None:
    env = as_vec_env(cartpole())
    env.reset()
    infos = env.step(np.zeros(3, np.int64))[3]
    infos[0]["mine"] = 1
    assert infos[1] == {}


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_another_autoreset_mode_is_refused_with_the_fix(as_vec_env: Any, mode: str) -> None:
    env = gymnasium.make_vec(
        "CartPole-v1",
        2,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
    )
    with pytest.raises(ValueError, match=r"needs SAME_STEP.*autoreset_mode='SameStep'"):
        as_vec_env(env)


def test_shared_buffers_are_copied(as_vec_env: Any) -> None:
    need.module("hub_pong")
    env = as_vec_env(
        gymnasium.make_vec("hub:native/Pong-v0", 2, autoreset_mode="SameStep", copy=False)
    )
    first = env.reset()
    kept = first.copy()
    env.step(np.ones(2, np.int64))
    np.testing.assert_array_equal(first, kept)


def test_attributes_and_methods_are_those_of_the_one_shared_object(as_vec_env: Any) -> None:
    env = as_vec_env(cartpole())
    assert env.get_attr("num_envs", [0, 2]) == [3, 3]
    env.set_attr("note", "shared")
    assert env.get_attr("note") == ["shared"] * 3
    assert env.env_method("reset", seed=1)[2][0].shape == (3, 4)
    with pytest.raises(ValueError, match=r"method 'reset' for lanes \[0\]: all 3 lanes share"):
        env.env_method("reset", indices=[0])
    env.close()


def test_it_renders_a_picture_of_each_lane(as_vec_env: Any) -> None:
    need.module("hub_pong")
    options = {"autoreset_mode": "SameStep", "render_mode": "rgb_array"}
    env = as_vec_env(gymnasium.make_vec("hub:native/Pong-v0", 3, **options))
    env.reset()
    assert env.render_mode == "rgb_array"
    assert [image.ndim for image in env.get_images()] == [3, 3, 3]
