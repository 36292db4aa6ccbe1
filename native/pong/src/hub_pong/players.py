"""Agents that play Pong by rule: `follow` for people to watch, the others as L3's actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from hub.fidelity import ActionSource
from hub_pong.reference import (
    BALL,
    BALL_SPEED_X,
    FAR_X,
    FAR_Y,
    HEIGHT,
    MAX_SPEED_Y,
    PADDLE_HEIGHT,
    PADDLE_SPEED,
    WIDTH,
)

STAY, UP, DOWN = 0, 1, 2
_RANGE = HEIGHT - PADDLE_HEIGHT  # of the paddle's upper edge
SWING = 3  # frames before the return in which the second agent moves, so that the ball is spun


def follow(observation: npt.NDArray[np.float32], info: dict[str, Any]) -> int:
    """Bring the paddle's centre to the ball's while the ball comes; `hub play --agent` takes it.

    It rests while the ball goes away, so a steep return finds it far off: rallies are long, and
    both sides score.

    Args:
        observation: `[8] float32`, as `hub_pong.env` describes.
        info: Not used.
    """
    if observation[4] < 0.5:  # the ball flies to the opponent
        return STAY
    paddle = observation[1] * _RANGE + PADDLE_HEIGHT / 2
    ball = observation[3] * HEIGHT + BALL / 2
    return UP if ball > paddle else DOWN if ball < paddle else STAY


def follow_ball(error: float) -> ActionSource:
    """An agent that follows the ball and errs sometimes: long rallies, spin, games won."""

    def start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Callable[[Any], int]:
        def act(observation: Any) -> int:
            if rng.random() < error:
                return int(rng.integers(3))
            return UP if observation[3] > observation[1] else DOWN

        return act

    return ActionSource(f"follows the ball, errs {error:g}", start)


def foresee_ball() -> ActionSource:
    """An agent for `compat="puffer"` that never misses and spins the ball past its opponent."""

    def start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Callable[[Any], int]:
        return foreseen

    return ActionSource("foresees the ball", start)


def foreseen(observation: Any) -> int:
    """Return the action of `foresee_ball`: be where the ball comes down, and meet it in motion."""
    paddle = observation[1] * HEIGHT - PADDLE_HEIGHT / 2
    x, y = observation[2] * WIDTH, observation[3] * HEIGHT
    comes = observation[4] > 0.5
    speed = observation[5] * 2 * MAX_SPEED_Y - MAX_SPEED_Y
    frames = (FAR_X - x if comes else FAR_X + x) / BALL_SPEED_X
    crossings, rest = divmod(y + speed * frames, FAR_Y)  # walls unfolded
    mirrored = crossings % 2 == 1
    up = (speed > 0) != mirrored
    if comes and frames < SWING:
        return UP if up else DOWN
    centred = (FAR_Y - rest if mirrored else rest) + (BALL - PADDLE_HEIGHT) / 2
    gap = centred + (-1 if up else 1) * (SWING - 1) * PADDLE_SPEED - paddle
    return STAY if abs(gap) <= PADDLE_SPEED / 2 else UP if gap > 0 else DOWN
