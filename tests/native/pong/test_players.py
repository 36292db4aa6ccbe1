"""`follow`: long rallies in which both sides score."""

from __future__ import annotations

import pytest

from hub import play
from tests import need

need.module("hub_pong")


@pytest.mark.parametrize("seed", range(3))
def test_both_sides_score_and_one_of_them_wins(seed: int) -> None:
    env = play.make("hub:native/Pong-v0", (), {"frame_skip": 2})
    follow = play.agent("hub_pong.players:follow", env, None)
    *_, last = play.episode(env, follow, seed, 10_000)
    scores = sorted((last.observation[6:] * 21).round().tolist())
    assert last.terminated
    assert scores[1] == 21
    assert scores[0] >= 10


def test_it_keeps_its_paddle_within_reach_of_a_ball_that_comes() -> None:
    env = play.make("hub:native/Pong-v0", ())
    follow = play.agent("hub_pong.players:follow", env, None)
    steps = list(play.episode(env, follow, 0, 3_000))
    returned = sum(step.reward == pytest.approx(0.1) for step in steps)
    lost = sum(step.reward == -1 for step in steps)
    assert returned > 5 * lost > 0
