"""The single environment over one native lane."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import hub
from tests import need

pong = need.module("hub_pong.env")
reference = need.module("hub_pong.reference")

CLASSES = [pong.PongEnv, reference.PythonPongEnv]


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def env(request):
    made = request.param(frame_skip=8)
    yield made
    made.close()


@pytest.mark.parametrize("name", ["Pong-v0", "PongPython-v0"])
def test_gymnasiums_own_checker_finds_nothing(name):
    check_env(gymnasium.make(f"hub:native/{name}").unwrapped)


def test_step_returns_python_numbers_and_a_fresh_observation(env):
    first, info = env.reset(seed=0)
    second, reward, terminated, truncated, _ = env.step(1)
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    assert info == {}
    assert first.flags.writeable
    assert not np.shares_memory(first, second)
    assert first in env.observation_space


def test_step_before_reset_and_after_the_end_is_refused(env):
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    while not env.step(2)[2]:
        pass
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(0)
    env.reset()
    env.step(0)


def test_use_after_close_is_refused_and_close_may_be_repeated(env):
    env.reset(seed=0)
    env.close()
    env.close()
    for use in (lambda: env.step(0), env.reset):
        with pytest.raises(hub.ClosedError, match="closed"):
            use()


def test_reset_with_a_seed_depends_on_nothing_before(env):
    other = type(env)(frame_skip=8)
    env.reset(seed=42)
    for _ in range(300):
        if env.step(2)[2]:
            env.reset()
    assert np.array_equal(env.reset(seed=43)[0], other.reset(seed=43)[0])
    assert all(env.step(a % 3)[0].tobytes() == other.step(a % 3)[0].tobytes() for a in range(100))


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "1"])
def test_a_bad_seed_is_refused(env, seed):
    with pytest.raises((ValueError, TypeError), match="expected"):
        env.reset(seed=seed)


def test_an_unknown_reset_option_is_refused(env):
    with pytest.raises(hub.UnknownOption, match="no reset option speed"):
        env.reset(options={"speed": 2})
    env.reset(options={})


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copied_environment_goes_on_from_the_same_state(env, clone):
    env.reset(seed=3)
    env.step(1)
    twin = clone(env)
    for action in range(60):
        assert env.step(action % 3)[0].tobytes() == twin.step(action % 3)[0].tobytes()
    assert env.reset()[0].tobytes() == twin.reset()[0].tobytes()


def test_restoring_a_snapshot_goes_on_from_there():
    env = pong.PongEnv()
    env.reset(seed=1)
    env.step(1)
    data = env.snapshot()
    later = [env.step(1)[0].tobytes() for _ in range(50)]
    env.restore(data)
    assert [env.step(1)[0].tobytes() for _ in range(50)] == later


def test_make_adds_the_episode_limit():
    env = gymnasium.make("hub:native/Pong-v0", max_episode_steps=5)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]


def test_render_without_a_mode_warns_and_gives_nothing(env):
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode|render mode"):
        assert env.render() is None
