"""Where the time goes: seconds by part, for the suite `train`."""

from __future__ import annotations

import time
from collections.abc import Callable


def _nothing() -> None:
    """Wait for nothing: the CPU's work is done when the call returns."""


class Clock:
    """Adds up wall-clock seconds by part, lap by lap.

    Args:
        wait: Called before each reading, so that work queued on a device is counted where it was
            asked for.
    """

    def __init__(self, wait: Callable[[], None] = _nothing) -> None:
        self._wait = wait
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def start(self) -> None:
        """Begin a lap; what went before is counted nowhere."""
        self._wait()
        self._last = time.perf_counter()

    def lap(self, part: str) -> None:
        """End a lap: its seconds belong to `part`, and the next lap begins."""
        self._wait()
        now = time.perf_counter()
        self.seconds[part] = self.seconds.get(part, 0.0) + now - self._last
        self._last = now
