"""Cost of starting Python processes, the way an installed program starts: from bytecode."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path


def cpu_seconds(cache: Path, *arguments: str, runs: int = 9) -> float:
    """CPU time of `python ARGUMENTS`, the best of `runs` after one that fills `cache`.

    CPU time, because it does not depend on how busy the machine is; the best, because noise only
    ever adds.
    """
    environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *arguments]
    subprocess.run(command, env=environ, check=True, capture_output=True)
    times = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environ, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)
