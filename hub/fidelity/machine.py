"""The machine that a certificate was made on, without anything that names it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> dict[str, str | int]:
    """Processor, cores, operating system and Python; no host name and no user."""
    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 0,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
