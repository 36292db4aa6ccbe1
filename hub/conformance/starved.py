"""How long a process waited for a core: what a loaded machine takes, and no environment's doing."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

Delays = Mapping[int, float]


def delays(pid: int) -> Delays:
    """Return, for each thread of a process and its children, how long it was ready and not run.

    Args:
        pid: Of the process.

    Returns:
        Seconds since the thread began, by thread id (`run_delay` of Linux's `schedstat`); empty
        where the system does not tell.
    """
    found: dict[int, float] = {}
    processes = [pid]
    while processes:
        # A process or thread may end while it is looked at.
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{processes.pop()}/task").iterdir():
                with contextlib.suppress(OSError):
                    _, waited, _ = (task / "schedstat").read_text().split()
                    found[int(task.name)] = int(waited) / 1e9
                    processes += map(int, (task / "children").read_text().split())
    return found


def longest(before: Delays, after: Delays) -> float:
    """Return the longest wait of one thread between two looks, in seconds."""
    return max((seconds - before.get(thread, 0.0) for thread, seconds in after.items()), default=0)
