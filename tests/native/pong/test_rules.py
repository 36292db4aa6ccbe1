"""The rules of Pong as the C core plays them; each quirk of PufferLib's and its mending."""

from __future__ import annotations

import numpy as np
import pytest

from tests import need

PongEnv = need.module("hub_pong.env").PongEnv

STAY, UP, DOWN = 0, 1, 2
LEFT, RIGHT, X, Y, VX, VY, SCORE_LEFT, SCORE_RIGHT = range(8)


def lane(env):
    """Return paddles, ball, speeds and scores in the units of the rules."""
    return env._core.lane(0)


def started(compat, seed=0, **options):
    env = PongEnv(compat=compat, **options)
    env.reset(seed=seed)
    return env


def speeds_of_serves(compat, axis):
    env = PongEnv(compat=compat)
    counts = {}
    for seed in range(400):
        env.reset(seed=seed)
        counts[lane(env)[axis]] = counts.get(lane(env)[axis], 0) + 1
    return counts


def hold(env, action, steps):
    return [env.step(action)[0] for _ in range(steps)]


def until_scored(env, action=STAY):
    """Step until a point is made; return the observations around it."""
    before, *_ = env.step(action)
    while True:
        after, reward, *_ = env.step(action)
        if abs(reward) == 1:
            return before, after, reward
        before = after


def at_random(env, steps, seed=0):
    rng = np.random.default_rng(seed)
    for action in rng.integers(0, 3, steps):
        observation, _, terminated, _, _ = env.step(action)
        yield observation
        if terminated:
            env.reset()


# ---- Quirks, kept under compat="puffer" and mended by default -----------------------------------


def test_puffer_serves_always_fly_to_the_agent():
    assert set(speeds_of_serves("puffer", VX)) == {10.0}


def test_serves_fly_to_either_side_with_equal_chance():
    counts = speeds_of_serves(None, VX)
    assert set(counts) == {-10.0, 10.0}
    assert 150 < counts[10.0] < 250


def test_puffer_serves_never_fly_upwards():
    assert set(speeds_of_serves("puffer", VY)) == {-1.0, 0.0}


def test_serves_fly_up_or_down_with_equal_chance():
    counts = speeds_of_serves(None, VY)
    assert set(counts) == {-1.0, 1.0}
    assert 150 < counts[1.0] < 250


@pytest.mark.parametrize(("compat", "low", "high"), [("puffer", -35, 605), (None, 0, 570)])
def test_paddles_stop_half_outside_under_puffer_and_inside_by_default(compat, low, high):
    for action, limit in ((DOWN, low), (UP, high)):
        env = started(compat, seed=next(s for s in range(9) if lane(started(compat, s))[VX] > 0))
        while env.step(STAY)[1] == 0:  # returned by a resting paddle: time for a long way
            pass
        hold(env, action, 45)
        assert lane(env)[RIGHT] == limit


def test_puffer_opponent_follows_the_balls_lower_edge():
    env = started("puffer")
    env.step(STAY)
    assert lane(env)[LEFT] == 285 - 8  # although the ball is level with its centre


def test_opponent_follows_the_balls_centre():
    env = started(None)
    env.step(STAY)
    assert lane(env)[LEFT] == 285


def test_puffer_ball_is_observed_outside_the_court_but_inside_the_space():
    env = started("puffer")
    seen = np.array(list(at_random(env, 20_000)))
    assert seen[:, X].min() < 0
    assert all(env.observation_space.contains(row) for row in seen)


def test_ball_stays_inside_the_court():
    env = started(None)
    seen = np.array(list(at_random(env, 20_000)))
    assert env.observation_space.low.min() == 0
    assert all(env.observation_space.contains(row) for row in seen)


def test_puffer_sends_a_level_ball_upwards():
    env = PongEnv(compat="puffer")
    seed = next(s for s in range(50) if env.reset(seed=s) and lane(env)[VY] == 0)
    env.reset(seed=seed)
    while env.step(STAY)[1] == 0:
        assert lane(env)[VY] == 0
    assert lane(env)[VY] == 3


def test_no_ball_is_ever_level_by_default():
    env = started(None)
    assert all(lane(env)[VY] != 0 for _ in at_random(env, 20_000))


def test_puffer_scores_are_observed_as_zero():
    env = started("puffer", frame_skip=8)
    seen = np.array(list(at_random(env, 3000)))
    assert not seen[:, SCORE_LEFT:].any()


def test_scores_are_observed_as_shares_of_21():
    env = started(None)
    until_scored(env, DOWN)
    _, after, _ = until_scored(env, DOWN)
    assert after[SCORE_LEFT] == np.float32(2) * (np.float32(1) / np.float32(21))


@pytest.mark.parametrize("frame_skip", [1, 4])
def test_puffer_leaves_the_observation_as_it_was_when_a_point_is_made(frame_skip):
    env = started("puffer", frame_skip=frame_skip)
    before, after, _ = until_scored(env, DOWN)
    if frame_skip == 1:
        assert after.tobytes() == before.tobytes()
    assert after[X] > 0.8  # still the ball near the agent's end, although it was served again
    assert lane(env)[X] == 100


def test_the_observation_after_a_point_shows_the_new_serve():
    env = started(None)
    _, after, _ = until_scored(env, DOWN)
    assert after[X] in (np.float32(100) * np.float32(1 / 500), np.float32(0.736))
    assert after[LEFT] == after[RIGHT] == 0.5


# ---- Rules that both sets share ----------------------------------------------------------------


@pytest.mark.parametrize("compat", [None, "puffer"])
def test_a_game_ends_with_21_points_and_no_sooner(compat):
    env = started(compat, frame_skip=8)
    total, terminated = 0.0, False
    while not terminated:
        _, reward, terminated, truncated, _ = env.step(DOWN)
        total += reward
        assert not truncated
        assert terminated == (21 in lane(env)[SCORE_LEFT:])
    assert total == -21


def test_the_last_observation_shows_the_final_score_and_the_ball_at_the_edge():
    env = started(None, frame_skip=8)
    while not (outcome := env.step(DOWN))[2]:
        pass
    assert outcome[0][SCORE_LEFT] == 1
    assert outcome[0][X] == np.float32(468) * (np.float32(1) / np.float32(500))


def test_returning_the_ball_earns_a_tenth_and_a_moving_paddle_spins_it():
    env = started(None, seed=next(s for s in range(50) if lane(started(None, s))[VX] > 0))
    before = lane(env)[VY]
    hold(env, STAY, 35)
    while (reward := env.step(UP)[1]) == 0:
        pass
    assert reward == 0.1
    assert lane(env)[VX] == -10
    assert lane(env)[VY] == before + 3


def test_a_point_ends_a_step_of_many_frames_early():
    env = started(None, frame_skip=8)
    until_scored(env, DOWN)
    served = 100 if lane(env)[VX] > 0 else 368
    assert lane(env)[X] == served


@pytest.mark.parametrize("options", [{"frame_skip": 0}, {"frame_skip": 9}, {"compat": "Puffer"}])
def test_an_option_out_of_range_is_refused_with_what_was_expected(options):
    with pytest.raises(ValueError, match="expected"):
        PongEnv(**options)


@pytest.mark.parametrize("action", [-1, 3, 2**70, 1.0, None, "up", np.array([1])])
def test_an_action_outside_the_space_is_refused_and_nothing_moves(action):
    env = started(None)
    before = lane(env)
    with pytest.raises(ValueError, match="expected 0"):
        env.step(action)
    assert lane(env) == before


@pytest.mark.parametrize("action", [1, np.int64(1), np.uint8(1), np.array(1)])
def test_any_whole_number_type_is_taken_as_an_action(action):
    env = started(None)
    env.step(action)
    assert lane(env)[RIGHT] == 285 + 8
