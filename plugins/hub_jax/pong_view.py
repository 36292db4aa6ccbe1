"""Pictures of JAX Pong, the same as those of `hub:native/Pong-v0`.

Half a pixel per unit, a margin of 20 pixels on both sides that holds the paddles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Frame = npt.NDArray[np.uint8]

_HEIGHT, _WIDTH, _MARGIN = 320, 290, 20
_BALL, _PADDLE = (16, 16), (10, 35)  # width and height in pixels
_COURT, _LINE = (13, 27, 42), (65, 90, 119)
_LEFT, _RIGHT, _BALL_INK = (239, 131, 84), (82, 183, 136), (240, 240, 240)
_DOT = 5  # pixels
# Five rows of three dots for each digit, as octal numbers: the first row is the first digit.
_DIGITS = (0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71222, 0o75757, 0o75717)


def picture(state: Any, params: Any) -> Frame:
    """Draw one lane, a `hub_jax.pong.Pong` in NumPy, as `uint8[320, 290, 3]`."""
    court, middle = state.court, _WIDTH // 2
    image = np.full((_HEIGHT, _WIDTH, 3), _COURT, np.uint8)
    dashes = np.arange(_HEIGHT) % 16
    image[(dashes >= 4) & (dashes < 12), middle - 1 : middle + 1] = _LINE
    _number(image, int(state.score_left), middle - 60)
    _number(image, int(state.score_right), middle + 25)
    _box(image, _MARGIN - _PADDLE[0], court.paddle_left, _PADDLE, _LEFT)
    _box(image, _WIDTH - _MARGIN, court.paddle_right, _PADDLE, _RIGHT)
    _box(image, _MARGIN + round(court.ball_x / 2), court.ball_y, _BALL, _BALL_INK)
    return image


def _box(image: Frame, x: int, y: Any, size: tuple[int, int], ink: tuple[int, int, int]) -> None:
    """Fill a box whose lower edge is at `y` units; what lies outside the picture is cut off."""
    bottom = _HEIGHT - round(y / 2)
    image[max(0, bottom - size[1]) : max(0, bottom), max(0, x) : x + size[0]] = ink


def _number(image: Frame, number: int, x: int) -> None:
    """Write a score, right-aligned in two places."""
    for place, digit in enumerate(f"{number:2d}"):
        if digit.isdigit():
            bits = f"{_DIGITS[int(digit)]:015b}"
            dots = np.array([bit == "1" for bit in bits]).reshape(5, 3)
            left = x + place * 4 * _DOT
            mask = dots.repeat(_DOT, axis=0).repeat(_DOT, axis=1)
            image[12 : 12 + 5 * _DOT, left : left + 3 * _DOT][mask] = _LINE


def text(state: Any, params: Any) -> str:
    """Draw one lane as 23 lines: score, upper wall, court of 40 x 20 characters, lower wall."""
    court, columns, rows = state.court, 40, 20
    grid = np.full((rows, columns + 2), " ")
    middles = (np.arange(rows) + 0.5) * 640 / rows
    for column, low in ((0, court.paddle_left), (columns + 1, court.paddle_right)):
        grid[(middles >= low) & (middles < low + 70), column] = "#"
    column = int(np.clip(int((court.ball_x + 16) * columns / 500), 0, columns - 1))
    row = int(np.clip(int((court.ball_y + 16) * rows / 640), 0, rows - 1))
    grid[row, column + 1] = "o"
    score = f"{state.score_left} : {state.score_right}".center(columns + 2).rstrip()
    wall = "-" * (columns + 2)
    return "\n".join([score, wall, *("".join(line) for line in grid[::-1]), wall])
