"""A heartbeat in shared memory: what the environment is doing, readable when it hangs.

The process that runs the environment writes before each call into it; the process that watches
reads. Memory that is mapped by both needs no call that a blocked or crashed process would owe.
"""

from __future__ import annotations

import mmap
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_FORMAT = struct.Struct("<dqqq")
CALLS = ("make", "reset", "step", "render", "close")


@dataclass(frozen=True)
class Beat:
    """The last call into the environment.

    Attributes:
        started: `time.monotonic()` at which it began; 0 when none is in progress.
        step: Step within the episode; 0 is the reset.
        seed: The seed of the play, or None.
        call: Which of `CALLS` it is.
    """

    started: float
    step: int
    seed: int | None
    call: str


class Pulse:
    """One heartbeat in the file `path`; both processes map it."""

    def __init__(self, path: Path) -> None:
        if not path.exists() or path.stat().st_size < _FORMAT.size:
            path.write_bytes(bytes(_FORMAT.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _FORMAT.size)

    @contextmanager
    def during(self, call: str, step: int = 0, seed: int | None = None) -> Iterator[None]:
        """Note that a call into the environment is in progress; step and seed are kept after it.

        Args:
            call: One of `CALLS`.
            step: Step within the episode.
            seed: The seed of the play.
        """
        number = -1 if seed is None else seed
        _FORMAT.pack_into(self._map, 0, time.monotonic(), step, number, CALLS.index(call))
        try:
            yield
        finally:
            struct.pack_into("<d", self._map, 0, 0.0)

    def read(self) -> Beat:
        """Return the last heartbeat."""
        started, step, seed, call = _FORMAT.unpack_from(self._map, 0)
        return Beat(started, step, None if seed < 0 else seed, CALLS[call])

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()
