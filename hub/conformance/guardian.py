"""Clean up after a `hub check` that was killed: `python guardian.py FOLDER`, on its stdin a pipe.

The process that checks holds the other end. However it dies (SIGKILL leaves it no chance to end
its worker itself), the system closes the pipe, and this process ends the worker, which may be
stuck inside an environment, and removes the folder. It imports nothing but the standard library:
it is started beside each worker.

The pipe carries the line `PID` or `-PID` (a process group) once the worker runs, and `done` when
there is nothing left to clean.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys


def main() -> None:
    """Wait for the end of the pipe."""
    target = 0
    for line in sys.stdin.buffer:
        if line.strip() == b"done":
            return
        target = int(line)
    if target:
        with contextlib.suppress(ProcessLookupError):  # it ended by itself
            os.kill(target, signal.SIGKILL)
    shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
