"""What a figure was measured on and with; no host name, no user, no paths."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import hub
from hub.bench.measure import cores
from hub.plugins import PLUGINS

_ALWAYS = ("gymnasium", "numpy")


def machine() -> dict[str, Any]:
    """Return processor, cores, memory, system and load of this machine."""
    return {
        "cpu": _processor(),
        "cores": cores(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        # Figures taken while others use the cores say little.
        "load": round(os.getloadavg()[0], 2),
    }


def versions(ids: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, the hub, its foundations and what `ids` need, if installed."""
    names = list(_ALWAYS)
    for env_id in ids:
        if env_id in PLUGINS.registry:
            requires = PLUGINS.registry.card(env_id).requires
            names += [need.name for need in requires if need.kind == "distribution"]
    found = {"python": platform.python_version(), "gymhub": hub.__version__}
    for name in dict.fromkeys(names):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """Return the hub's commit (`-dirty` if its files differ from it), or None when unknown.

    Known in a git checkout that tracks the hub, and for an install from a git address.
    """
    package = Path(hub.__file__).parent
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is not None:
        head = _git(package, "rev-parse", "HEAD")
        if head:
            changed = _git(package, "status", "--porcelain", "--untracked-files=no")
            return head + ("-dirty" if changed else "")
    return _installed_commit()


def _installed_commit() -> str | None:
    try:
        text = importlib.metadata.distribution("gymhub").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return None
    origin: dict[str, Any] = json.loads(text) if text else {}
    found: str | None = origin.get("vcs_info", {}).get("commit_id")
    return found


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError):
        return None
