"""The layers below the Python API, for `hub bench`: what each costs over a loop in C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gymnasium.vector import AutoresetMode

from hub.native import Lanes
from hub.seeds import lane_seeds
from hub_pong._core import PongCore
from hub_pong.env import bind
from hub_pong.options import observation_space

# Distinct actions, so that no branch predictor learns them by heart.
_ACTIONS = 65_536


def layers(lanes: int) -> dict[str, Callable[[int], float]]:
    """Return, by name, what steps so many batches and returns the steps without autoreset steps.

    `bare C loop` is one call of C for all batches; `C call` is one call from Python per batch.
    Both step the same kernel with the same random actions, one thread, bound arrays.
    """
    rounds = max(16, _ACTIONS // lanes)
    actions = np.random.default_rng(0).integers(0, 3, (rounds, lanes))

    in_c, by_call = _core(lanes), _core(lanes)
    rows = list(actions)

    def loop(batches: int) -> float:
        return batches * lanes - in_c.loop(actions, batches)

    def call(batches: int) -> float:
        ended = sum(by_call.step(rows[batch % rounds]) for batch in range(batches))
        return batches * lanes - ended

    return {"bare C loop": loop, "C call": call}


def _core(lanes: int) -> PongCore:
    arrays = Lanes.allocate(observation_space(None), lanes, AutoresetMode.NEXT_STEP, 10_000, 1)
    core = bind(arrays, compat=None, frame_skip=1)
    core.reset(lane_seeds(0, lanes), None)
    return core
