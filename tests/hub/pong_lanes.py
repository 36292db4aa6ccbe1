"""C Pong's lanes as the tests of the vector contract use them, beside Gymnasium's own."""

from __future__ import annotations

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from tests import need

pong = need.module("hub_pong.env")

MODES = list(AutoresetMode)
LANES, LIMIT = 5, 37


def make(mode=AutoresetMode.NEXT_STEP, lanes=LANES, limit=LIMIT, **options):
    options = {"frame_skip": 8, **options}
    return pong.PongVectorEnv(lanes, limit, autoreset_mode=mode, **options)


def oracle(mode, lanes=LANES, limit=LIMIT):
    def one():
        return TimeLimit(pong.PongEnv(frame_skip=8), limit)

    return SyncVectorEnv([one] * lanes, autoreset_mode=mode)


def same(left, right):
    """Compare observations, rewards, flags and infos, their dtypes and layout included."""
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            same(left[key], right[key])
    elif isinstance(left, tuple):
        for one, other in zip(left, right, strict=True):
            same(one, other)
    elif left.dtype == object:
        for one, other in zip(left, right, strict=True):
            assert (one is None) == (other is None)
            assert one is None or np.array_equal(one, other)
    else:
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)


def actions_for(env, steps, seed=0):
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(steps)]
