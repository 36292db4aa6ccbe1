import numpy as np
import pytest

from tests import need

view = need.module("hub_pong.view")
STATE = view.State(285, 285, 234, 304, 10, 1, 3, 20)


def where(image, ink):
    """Return the box (top, bottom, left, right) that holds every pixel of `ink`."""
    rows, columns = np.nonzero((image == ink).all(axis=2))
    return rows.min(), rows.max() + 1, columns.min(), columns.max() + 1


def test_the_picture_shows_both_paddles_and_the_ball_in_place():
    image = view.picture(STATE)
    assert (image.shape, image.dtype) == ((320, 290, 3), np.uint8)
    assert where(image, view._BALL_INK) == (152, 168, 137, 153)
    assert where(image, view._LEFT)[2:] == (10, 20)
    assert where(image, view._RIGHT)[2:] == (270, 280)


def test_up_is_up():
    high, low = (view.picture(STATE._replace(ball_y=y)) for y in (608, 0))
    assert where(high, view._BALL_INK)[0] == 0
    assert where(low, view._BALL_INK)[1] == 320


@pytest.mark.parametrize("ball", [(-10, 304), (0, -13), (468, 621)])
def test_what_lies_outside_the_court_is_cut_off(ball):
    image = view.picture(STATE._replace(ball_x=ball[0], ball_y=ball[1], paddle_left=-35))
    assert image.shape == (320, 290, 3)
    assert where(image, view._LEFT)[1] == 320


def test_the_score_changes_the_picture():
    assert not np.array_equal(view.picture(STATE), view.picture(STATE._replace(score_left=4)))


def test_the_text_shows_score_paddles_and_ball():
    lines = view.text(STATE).split("\n")
    assert lines[0].strip() == "3 : 20"
    assert {len(line) for line in lines[1:]} == {42}
    assert sum(line.count("o") for line in lines) == 1
    assert [line for line in lines if line.startswith("#") and line.endswith("#")]
