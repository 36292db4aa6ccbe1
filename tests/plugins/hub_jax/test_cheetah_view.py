"""The cheetah's side view."""

import gymnasium
import numpy as np
import pytest

import hub  # noqa: F401  # registers the ids
from hub_jax.cheetah.task import CheetahState
from hub_jax.cheetah.view import capsules, lowest_point, picture

TORSO, BACK, FRONT = (239, 174, 84), (208, 106, 91), (82, 183, 136)


def drawn(**changes):
    qpos = np.zeros(9)
    for index, value in changes.items():
        qpos[int(index[1:])] = value
    return picture(CheetahState(qpos, np.zeros(9)), None)


def count(frame, ink):
    return int((frame == ink).all(axis=-1).sum())


def test_a_frame_shows_torso_and_both_legs():
    frame = drawn()
    assert frame.shape == (240, 480, 3)
    assert frame.dtype == np.uint8
    for ink in (TORSO, BACK, FRONT):
        assert count(frame, ink) > 300
    columns = {ink: np.nonzero((frame == ink).all(axis=-1))[1].mean() for ink in (BACK, FRONT)}
    assert columns[BACK] < 240 < columns[FRONT], "it looks to the right, where it runs"


def test_the_camera_follows_and_the_marks_pass_by():
    assert (drawn(q0=3.0) != drawn(q0=0.0)).any(), "other numbers at the marks"
    sky = slice(0, 195)
    assert (drawn(q0=3.0)[sky] == drawn(q0=0.0)[sky]).all()
    assert (drawn(q0=0.5)[200:210] != drawn(q0=0.0)[200:210]).any()


def test_a_cheetah_out_of_sight_leaves_the_floor():
    frame = drawn(q1=50.0)
    assert count(frame, TORSO) == 0


def test_the_lowest_point_of_the_start_is_a_foot():
    qpos = np.zeros(9)
    assert lowest_point(qpos) == pytest.approx(
        min(end[1] for capsule, ends in capsules(qpos) for end in ends if capsule.body in (3, 6))
        - 0.046
    )


def test_render_gives_the_picture_of_the_state():
    env = gymnasium.make("hub:jax/HalfCheetah-v0", render_mode="rgb_array")
    env.reset(seed=0)
    assert (env.render() == picture(env.unwrapped.lane_state, None)).all()
    env.close()
