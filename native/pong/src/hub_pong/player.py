"""A player of Pong who wins some and loses some: `hub play ID --agent hub_pong.player:follow`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

STAY, UP, DOWN = 0, 1, 2
# Shares of the observation in units of the rules: the paddle's range, the court's height.
_RANGE, _HEIGHT = 570, 640
_PADDLE_CENTRE, _BALL_CENTRE = 35, 16


def follow(observation: npt.NDArray[np.float32], info: dict[str, Any]) -> int:
    """Return the action that brings the paddle's centre to the ball's, while the ball comes.

    It rests while the ball goes away, so a steep return finds it far off: rallies are long, and
    both sides score.

    Args:
        observation: `[8] float32`, as `hub_pong.env` describes.
        info: Not used.
    """
    if observation[4] < 0.5:  # the ball flies to the opponent
        return STAY
    paddle = observation[1] * _RANGE + _PADDLE_CENTRE
    ball = observation[3] * _HEIGHT + _BALL_CENTRE
    return UP if ball > paddle else DOWN if ball < paddle else STAY
