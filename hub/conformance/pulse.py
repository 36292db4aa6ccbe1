"""A heartbeat in shared memory: what the environment is doing, readable when it hangs.

The process that runs the environment writes before each call into it; the process that watches
reads. Memory that is mapped by both needs no call that a blocked or crashed process would owe.
"""

from __future__ import annotations

import mmap
import struct
import time
from dataclasses import dataclass
from pathlib import Path

_FORMAT = struct.Struct("<dqq")


@dataclass(frozen=True)
class Beat:
    """The last call into the environment.

    Attributes:
        started: `time.monotonic()` at which it began; 0 when none is in progress.
        step: Step within the episode; 0 is the reset.
        seed: The seed of the play, or -1.
    """

    started: float
    step: int
    seed: int


class Pulse:
    """One heartbeat in the file `path`; both processes map it."""

    def __init__(self, path: Path) -> None:
        if not path.exists() or path.stat().st_size < _FORMAT.size:
            path.write_bytes(bytes(_FORMAT.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _FORMAT.size)

    def enter(self, step: int = 0, seed: int | None = None) -> None:
        """Note that a call into the environment begins."""
        _FORMAT.pack_into(self._map, 0, time.monotonic(), step, -1 if seed is None else seed)

    def leave(self) -> None:
        """Note that no call is in progress, keeping step and seed."""
        struct.pack_into("<d", self._map, 0, 0.0)

    def read(self) -> Beat:
        """Return the last heartbeat."""
        return Beat(*_FORMAT.unpack_from(self._map, 0))

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()
