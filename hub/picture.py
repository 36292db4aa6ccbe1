"""Frames as PNG pictures by the standard library, as GIF films by Pillow, and as terminal text."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hub.errors import HubError, MissingDependency

Frame: TypeAlias = NDArray[np.uint8]
"""`[height, width, 3]` uint8, as `render_mode="rgb_array"` gives it."""


class FrameError(HubError, ValueError):
    """A frame is not `[height, width, 3]` uint8."""


def png(frame: Frame) -> bytes:
    """Return `frame` as a PNG file: 8-bit RGB, each row filtered by its left neighbour.

    Source of the format: Portable Network Graphics (PNG) Specification, third edition, W3C 2025.

    Raises:
        FrameError: `frame` is not `[height, width, 3]` uint8.
    """
    check(frame)
    height, width, _ = frame.shape
    rows = np.empty((height, width * 3 + 1), np.uint8)
    rows[:, 0] = 1  # filter type Sub
    rows[:, 1:4] = frame[:, 0]
    rows[:, 4:] = (frame[:, 1:] - frame[:, :-1]).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def small_png(frame: Frame, limit: int) -> bytes:
    """Return `frame` as PNG of at most `limit` bytes, halved in size until it fits."""
    data = png(frame)
    while len(data) > limit and min(frame.shape[:2]) >= 2:
        frame = halved(frame)
        data = png(frame)
    return data


def halved(frame: Frame) -> Frame:
    """Return `frame` at half its height and width, each pixel the mean of four."""
    height, width = frame.shape[0] // 2 * 2, frame.shape[1] // 2 * 2
    blocks = frame[:height, :width].reshape(height // 2, 2, width // 2, 2, 3)
    mean: NDArray[np.float64] = blocks.mean((1, 3))
    return mean.round().astype(np.uint8)


def check(frame: Any) -> None:
    """Raise `FrameError` unless `frame` is `[height, width, 3]` uint8 and not empty."""
    good = isinstance(frame, np.ndarray) and frame.ndim == 3 and frame.dtype == np.uint8
    if not good or frame.shape[2] != 3 or not frame.size:
        what = f"{getattr(frame, 'dtype', type(frame).__name__)} {getattr(frame, 'shape', '')}"
        raise FrameError(f"a frame of {what}: expected uint8 (height, width, 3)")


def pillow(path: Path) -> ModuleType:
    """Return `PIL.Image`, which writes the film `path`.

    Raises:
        MissingDependency: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingDependency(
            f"{path} needs distribution pillow, not installed here. Fix: pip install pillow "
            "(a .png picture needs nothing)"
        ) from error
    return Image


def save_gif(frames: Sequence[Frame], path: Path, fps: float) -> None:
    """Write `frames` as a looping GIF film of `fps` frames a second.

    Raises:
        MissingDependency: Pillow is not installed.
        FrameError: There is no frame, or one is not `[height, width, 3]` uint8.
    """
    image = pillow(path)
    if not frames:
        raise FrameError(f"{path}: a film needs at least one frame")
    for frame in frames:
        check(frame)
    images = [image.fromarray(frame).quantize(64) for frame in frames]
    # GIF counts in hundredths of a second, and browsers slow down what is under two.
    delay = max(20, round(100 / fps) * 10)
    images[0].save(path, save_all=True, append_images=images[1:], duration=delay, loop=0)


def text(frame: Frame, columns: int, rows: int) -> str:
    """Return `frame` as half-block characters in 24-bit colour, within `columns` x `rows`."""
    check(frame)
    scale = min(columns / frame.shape[1], 2 * rows / frame.shape[0])
    height = max(2, int(frame.shape[0] * scale) // 2 * 2)
    width = max(1, int(frame.shape[1] * scale))
    y = np.arange(height) * frame.shape[0] // height
    x = np.arange(width) * frame.shape[1] // width
    small = frame[y][:, x]
    lines = []
    for top, bottom in zip(small[::2], small[1::2], strict=True):
        cells = (
            f"\x1b[38;2;{a[0]};{a[1]};{a[2]};48;2;{b[0]};{b[1]};{b[2]}m▀"
            for a, b in zip(top, bottom, strict=True)
        )
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)
