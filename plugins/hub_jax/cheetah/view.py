"""A side view of the cheetah, drawn with NumPy: floor, capsules, marks every metre.

The camera follows the torso. Coverage of a pixel is its distance to a capsule's axis, so that
edges are smooth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from hub_jax.cheetah.constants import BODIES, CAPSULES, RADIUS, START_HEIGHT, Capsule

Frame = npt.NDArray[np.uint8]
Ink = tuple[int, int, int]

_HEIGHT, _WIDTH, _SCALE = 240, 480, 120.0  # pixels, pixels, pixels per metre
_FLOOR_ROW = 200  # row of the floor's surface
_SKY, _GROUND, _MARK, _DIGIT = (21, 30, 42), (47, 62, 78), (93, 115, 138), (150, 168, 186)
_TORSO, _BACK, _FRONT = (239, 174, 84), (208, 106, 91), (82, 183, 136)
_INKS: tuple[Ink, ...] = (_TORSO, _BACK, _BACK, _BACK, _FRONT, _FRONT, _FRONT)
# Five rows of three dots for each digit, and for a minus sign, as octal numbers from the top.
_GLYPHS = dict(
    zip(
        "0123456789-",
        (
            *(0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71222),
            *(0o75757, 0o75717, 0o00700),
        ),
        strict=True,
    )
)
_DOT = 2  # pixels


def picture(state: Any, params: Any) -> Frame:
    """Draw one lane, a `CheetahState` of shape `[9]` in NumPy, as `uint8[240, 480, 3]`."""
    qpos = np.asarray(state.qpos, np.float64)
    image = np.full((_HEIGHT, _WIDTH, 3), _SKY, np.float64)
    image[_FLOOR_ROW:] = _GROUND
    _marks(image, qpos[0])
    for capsule, ends in sorted(capsules(qpos), key=lambda drawn: -drawn[0].body):
        _stroke(image, ends - [qpos[0], 0.0], _INKS[capsule.body])
    frame: Frame = image.round().astype(np.uint8)
    return frame


def capsules(qpos: npt.NDArray[np.float64]) -> list[tuple[Capsule, npt.NDArray[np.float64]]]:
    """Return each capsule with the centres of its end spheres, `[2, 2]`: x and z in m."""
    origins, angles = [(qpos[0], qpos[1] + START_HEIGHT)], [qpos[2]]
    for index, body in enumerate(BODIES[1:], start=1):
        origins.append(_place(origins[body.parent], angles[body.parent], body.joint))
        angles.append(angles[body.parent] + qpos[index + 2])
    return [
        (c, np.array([_place(origins[c.body], angles[c.body], end) for end in c.ends()]))
        for c in CAPSULES
    ]


def lowest_point(qpos: npt.NDArray[np.float64]) -> float:
    """Return the height of the cheetah's lowest point above the floor, m."""
    return min(float(ends[:, 1].min()) for _, ends in capsules(qpos)) - RADIUS


def _place(origin: Any, angle: float, local: tuple[float, float]) -> tuple[float, float]:
    """Return the world position of the point `local` of a body."""
    (x, z), cos, sin = local, math.cos(angle), math.sin(angle)
    return origin[0] + x * cos + z * sin, origin[1] + z * cos - x * sin


def _stroke(image: npt.NDArray[np.float64], ends: npt.NDArray[np.float64], ink: Ink) -> None:
    """Draw a capsule with a dark rim; `ends` are relative to the camera, in m."""
    rows, columns = np.mgrid[:_HEIGHT, :_WIDTH]
    x = (columns + 0.5 - _WIDTH / 2) / _SCALE - ends[0, 0]
    z = (_FLOOR_ROW - rows - 0.5) / _SCALE - ends[0, 1]
    axis = ends[1] - ends[0]
    along = np.clip((x * axis[0] + z * axis[1]) / (axis @ axis), 0.0, 1.0)
    gap = (np.hypot(x - along * axis[0], z - along * axis[1]) - RADIUS) * _SCALE
    for colour, shift in (([c // 3 for c in ink], 0.0), (ink, 1.5)):
        cover = np.clip(0.5 - gap - shift, 0.0, 1.0)[..., None]
        image[:] = image * (1.0 - cover) + np.array(colour) * cover


def _marks(image: npt.NDArray[np.float64], camera: float) -> None:
    """Draw a tick and its number at every whole metre of the floor."""
    half = _WIDTH / 2 / _SCALE
    for metre in range(math.ceil(camera - half), math.floor(camera + half) + 1):
        column = round((metre - camera) * _SCALE + _WIDTH / 2)
        image[_FLOOR_ROW : _FLOOR_ROW + 10, max(0, column - 1) : column + 1] = _MARK
        text = str(metre)
        left = column - len(text) * 2 * _DOT
        for place, glyph in enumerate(text):
            _glyph(image, _GLYPHS[glyph], left + place * 4 * _DOT)


def _glyph(image: npt.NDArray[np.float64], glyph: int, left: int) -> None:
    """Write one character below the floor; what lies outside the picture is cut off."""
    bits = np.array([bit == "1" for bit in f"{glyph:015b}"]).reshape(5, 3)
    mask = bits.repeat(_DOT, axis=0).repeat(_DOT, axis=1)
    for column, lit in enumerate(mask.T, start=left):
        if 0 <= column < _WIDTH:
            image[_FLOOR_ROW + 16 : _FLOOR_ROW + 16 + 5 * _DOT, column][lit] = _DIGIT
