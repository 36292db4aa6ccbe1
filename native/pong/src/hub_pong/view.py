"""Pictures of Pong: a frame as an RGB array or as text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Frame = npt.NDArray[np.uint8]

# Half a pixel per unit, and a margin on both sides that holds the paddles.
_SCALE, _MARGIN = 2, 20
_HEIGHT, _WIDTH = 640 // _SCALE, 500 // _SCALE + 2 * _MARGIN
_BALL, _PADDLE_WIDTH, _PADDLE_HEIGHT = 32 // _SCALE, 20 // _SCALE, 70 // _SCALE
_COURT, _NET = (13, 27, 42), (65, 90, 119)
_LEFT, _RIGHT, _BALL_INK = (239, 131, 84), (82, 183, 136), (240, 240, 240)
# Digits, three dots wide and five high: one number per row, its bits from left to right.
_DIGITS = (
    *((7, 5, 5, 5, 7), (2, 6, 2, 2, 7), (7, 1, 7, 4, 7), (7, 1, 7, 1, 7), (5, 5, 7, 1, 1)),
    *((7, 4, 7, 1, 7), (7, 4, 7, 5, 7), (7, 1, 2, 2, 2), (7, 5, 7, 5, 7), (7, 5, 7, 1, 7)),
)
_DOT = 5

# Text: characters per court, of 12.5 x 32 units each.
_COLUMNS, _ROWS = 40, 20


class State(NamedTuple):
    """What a picture shows, in the units of the rules, y upwards."""

    paddle_left: float
    paddle_right: float
    ball_x: float
    ball_y: float
    ball_vx: float
    ball_vy: float
    score_left: float
    score_right: float


def draw_lane(core: Any, lane: int, mode: str) -> Any:
    """Draw lane `lane` of a `PongCore`; a `hub.native.Draw`."""
    return draw_state(State(*core.lane(lane)), mode)


def draw_state(state: State, mode: str) -> Any:
    """Return `uint8[320, 290, 3]` for `"rgb_array"`, a string for `"ansi"`."""
    return picture(state) if mode == "rgb_array" else text(state)


def picture(state: State) -> Frame:
    """Return the state as `uint8[320, 290, 3]`: opponent left, agent right, score above."""
    image = np.empty((_HEIGHT, _WIDTH, 3), np.uint8)
    image[:] = _COURT
    image[4::16, _WIDTH // 2 - 1 : _WIDTH // 2 + 1] = _NET
    for row in range(1, 8):
        image[4 + row :: 16, _WIDTH // 2 - 1 : _WIDTH // 2 + 1] = _NET
    _number(image, int(state.score_left), _WIDTH // 2 - 60)
    _number(image, int(state.score_right), _WIDTH // 2 + 25)
    right = _WIDTH - _MARGIN
    left = _MARGIN - _PADDLE_WIDTH
    _box(image, left, state.paddle_left, _PADDLE_WIDTH, _PADDLE_HEIGHT, _LEFT)
    _box(image, right, state.paddle_right, _PADDLE_WIDTH, _PADDLE_HEIGHT, _RIGHT)
    x = _MARGIN + round(state.ball_x / _SCALE)
    _box(image, x, state.ball_y, _BALL, _BALL, _BALL_INK)
    return image


def _box(
    image: Frame, x: int, y: float, width: int, height: int, ink: tuple[int, int, int]
) -> None:
    """Fill a box whose lower edge is at `y` units; what lies outside the picture is cut off."""
    bottom = _HEIGHT - round(y / _SCALE)
    image[max(0, bottom - height) : max(0, bottom), max(0, x) : x + width] = ink


def _number(image: Frame, number: int, x: int) -> None:
    for digit in f"{number:2d}":
        if digit != " ":
            rows = np.array([[row >> bit & 1 for bit in (2, 1, 0)] for row in _DIGITS[int(digit)]])
            dots = np.kron(rows, np.ones((_DOT, _DOT), np.int64)).astype(bool)
            image[12 : 12 + 5 * _DOT, x : x + 3 * _DOT][dots] = _NET
        x += 4 * _DOT


def text(state: State) -> str:
    """Return the state as 23 lines: score, upper wall, court, lower wall."""
    court = [[" "] * (_COLUMNS + 2) for _ in range(_ROWS)]
    for column, low in ((0, state.paddle_left), (_COLUMNS + 1, state.paddle_right)):
        for row in range(_ROWS):
            middle = (row + 0.5) * 640 / _ROWS
            if low <= middle < low + 70:
                court[row][column] = "#"
    column = min(max(int((state.ball_x + 16) * _COLUMNS / 500), 0), _COLUMNS - 1)
    row = min(max(int((state.ball_y + 16) * _ROWS / 640), 0), _ROWS - 1)
    court[row][column + 1] = "o"
    wall = "-" * (_COLUMNS + 2)
    score = f"{state.score_left:.0f} : {state.score_right:.0f}".center(_COLUMNS + 2).rstrip()
    return "\n".join([score, wall, *("".join(line) for line in reversed(court)), wall])
