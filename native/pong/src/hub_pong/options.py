"""Options and spaces that the C core and the Python reference have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from hub.arguments import whole

METADATA: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 60}
PUFFER = "puffer"
MAX_FRAME_SKIP = 8

_BALL_X, _BALL_Y = 2, 3


def check_options(compat: str | None, frame_skip: int) -> int:
    """Return `frame_skip` as a Python int.

    Raises:
        ValueError: `compat` is neither None nor `"puffer"`, or `frame_skip` is not 1 to 8.
    """
    if compat not in (None, PUFFER):
        raise ValueError(f"compat {compat!r}: expected None or 'puffer'")
    return whole("frame_skip", frame_skip, MAX_FRAME_SKIP)


def observation_space(compat: str | None) -> Box:
    """Return `Box[8] float32` within 0 and 1.

    Under `"puffer"` the ball may be one frame's way outside the court when it is observed, 10 units
    on the left and 13 below, so its lower bounds are negative (a quirk).
    """
    low = np.zeros(8, np.float32)
    if compat == PUFFER:
        low[_BALL_X] = np.float32(-10) * (np.float32(1) / np.float32(500))
        low[_BALL_Y] = np.float32(-13) * (np.float32(1) / np.float32(640))
    return Box(low, np.ones(8, np.float32))


def action_space() -> Discrete:
    """Return `Discrete(3)`: 0 stay, 1 up, 2 down."""
    return Discrete(3)
