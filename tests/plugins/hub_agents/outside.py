"""Signals from outside a sandbox, as a machine short of memory or an operator sends them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hub.sandbox import state


def ours_with(marker: str) -> list[int]:
    """Return the processes below this one that have `marker` in their command line."""
    found = []
    for pid in state.descendants(os.getpid()):
        with suppress(FileNotFoundError, ProcessLookupError):
            if marker.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


@contextmanager
def killing(
    marker: str, times: int, number: int = signal.SIGKILL, age: float = 0.0
) -> Iterator[list[int]]:
    """Send signal `number` to the first `times` processes with `marker`; gives their numbers.

    Each is hit `age` seconds after it is first seen.
    """
    hit: list[int] = []
    seen: dict[int, float] = {}
    over = threading.Event()

    def hunt() -> None:
        while not over.is_set() and len(hit) < times:
            for pid in ours_with(marker)[: times - len(hit)]:
                old = time.monotonic() - seen.setdefault(pid, time.monotonic()) >= age
                if old and pid not in hit:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                        hit.append(pid)
            time.sleep(0.002)

    hunter = threading.Thread(target=hunt)
    hunter.start()
    try:
        yield hit
    finally:
        over.set()
        hunter.join()
