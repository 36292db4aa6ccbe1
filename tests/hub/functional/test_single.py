import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from hub.errors import ClosedError, InvalidAction, UnknownOption
from hub.functional import FunctionalSingleEnv, FunctionalVectorEnv
from tests.hub.functional.games import duel, script, walk


def test_results_are_pythons_own_types_and_fresh_arrays():
    env = FunctionalSingleEnv(script())
    observation, info = env.reset(seed=1)
    result = env.step(1)
    assert [type(part) for part in result[1:4]] == [float, bool, bool]
    assert type(result[4]["count"]) is int
    assert type(result[4]["deep"]["half"]) is float
    assert observation.flags.writeable
    assert not np.shares_memory(observation, result[0])
    assert info == {"name": observation[1]}


@pytest.mark.parametrize("make", [script, walk])
def test_lane_i_of_a_vector_is_the_single_environment_of_seed_plus_i(make):
    vector = FunctionalVectorEnv(make(), 3)
    vector.action_space.seed(0)
    batch, _ = vector.reset(seed=20)
    singles = [FunctionalSingleEnv(make()) for _ in range(3)]
    for lane, env in enumerate(singles):
        np.testing.assert_array_equal(env.reset(seed=20 + lane)[0], batch[lane])
    for _ in range(2):
        actions = vector.action_space.sample()
        got = vector.step(actions)
        for lane, env in enumerate(singles):
            want = env.step(actions[lane])
            np.testing.assert_allclose(got[0][lane], want[0], rtol=1e-6)
            assert got[1][lane] == pytest.approx(want[1], rel=1e-6)


def test_gymnasiums_own_checker_is_content():
    check_env(FunctionalSingleEnv(script()), skip_render_check=True)


def test_the_limit_truncates_and_the_state_can_be_read_and_set():
    env = FunctionalSingleEnv(script(5), max_episode_steps=2)
    env.reset(seed=0)
    assert env.step(0)[2:4] == (False, False)
    kept = env.lane_state
    assert env.step(0)[2:4] == (False, True)
    assert (kept.count, env.lane_state.count) == (1, 2)
    env.reset()
    env.lane_state = kept
    assert env.step(0)[0][0] == 2


def test_the_state_of_a_batched_environment_has_no_lanes():
    env = FunctionalSingleEnv(walk("float64"))
    env.reset(seed=0)
    state = env.lane_state
    assert state.place.shape == (2,)
    assert state.place.dtype == np.float64
    first = env.step(np.ones(2))[0]
    env.lane_state = state
    np.testing.assert_array_equal(env.step(np.ones(2))[0], first)


def test_misuse_is_an_error_that_says_what_to_do():
    env = FunctionalSingleEnv(script(1), render_mode="rgb_array")
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before step"):
        env.step(0)
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before render"):
        env.render()
    with pytest.raises(UnknownOption, match="no reset option x"):
        env.reset(options={"x": 1})
    env.reset(seed=0)
    with pytest.raises(InvalidAction, match="action 7"):
        env.step(7)
    assert env.render().shape == (4, 4, 3)
    env.step(0)
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)
    env.close()
    env.close()
    with pytest.raises(ClosedError, match="this environment is closed; make a new one"):
        env.reset()


def test_a_game_of_two_is_refused():
    with pytest.raises(ValueError, match="duel has 2 players"):
        FunctionalSingleEnv(duel(False))
