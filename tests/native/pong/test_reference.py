"""The C core against the independently written Python reference, bit for bit."""

from __future__ import annotations

import random

import pytest

from tests import need

env = need.module("hub_pong.env")
reference = need.module("hub_pong.reference")

EPISODES = 1000
MAX_FRAMES = 1500


def policy(seed):
    """Return a way to act: at random, holding on to a direction, or after the ball."""
    rng = random.Random(seed)
    held = 0

    def act(observation):
        nonlocal held
        if seed % 4 == 3 and rng.random() < 0.9:
            paddle, ball = observation[1] * 570 + 35, observation[3] * 640 + 16
            return 1 if ball > paddle + 8 else 2 if ball < paddle - 8 else 0
        if seed % 4 < 2 or rng.random() < 0.1:
            held = rng.randrange(3)
        return held

    return act


def play_both(fast, slow, seed, max_steps):
    """Play one episode on both and return how many steps they agreed on."""
    act = policy(seed)
    ours, theirs = fast.reset(seed=seed)[0], slow.reset(seed=seed)[0]
    for step in range(max_steps):
        assert ours.tobytes() == theirs.tobytes(), (seed, step, ours, theirs)
        action = act(theirs)
        ours, *outcome, _ = fast.step(action)
        theirs, *expected, _ = slow.step(action)
        assert outcome == expected, (seed, step, action)
        if outcome[1]:
            break
    assert ours.tobytes() == theirs.tobytes(), (seed, "last", ours, theirs)
    return step + 1


@pytest.mark.slow
@pytest.mark.parametrize("frame_skip", range(1, 9))
@pytest.mark.parametrize("compat", [None, "puffer"])
def test_a_thousand_episodes_are_the_same_bits(compat, frame_skip):
    options = {"compat": compat, "frame_skip": frame_skip}
    fast, slow = env.PongEnv(**options), reference.PythonPongEnv(**options)
    limit = MAX_FRAMES // frame_skip
    steps = sum(play_both(fast, slow, seed, limit) for seed in range(EPISODES))
    assert steps > EPISODES * 50


@pytest.mark.parametrize("compat", [None, "puffer"])
def test_a_few_long_episodes_are_the_same_bits(compat):
    fast, slow = env.PongEnv(compat=compat), reference.PythonPongEnv(compat=compat)
    assert sum(play_both(fast, slow, seed, 10_000) for seed in range(3, 20, 4)) > 5000


def test_streams_go_on_over_episodes_in_the_same_way():
    fast, slow = env.PongEnv(frame_skip=8), reference.PythonPongEnv(frame_skip=8)
    fast.reset(seed=2**64 - 1), slow.reset(seed=2**64 - 1)
    for _ in range(20):
        assert fast.reset()[0].tobytes() == slow.reset()[0].tobytes()
