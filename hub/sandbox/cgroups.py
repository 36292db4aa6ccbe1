"""Control groups, versions 1 and 2: one group per sandbox below our own, made and removed by us."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hub.sandbox.types import Limits

MOUNT = Path("/sys/fs/cgroup")
OURS = "hub-sandbox"
CPU_PERIOD = 100_000  # microseconds

# limit -> (controller, file, value) for each version.
_Table = dict[str, tuple[str, str, Callable[[Limits], str]]]

_V1: _Table = {
    "memory": ("memory", "memory.limit_in_bytes", lambda limits: str(limits.memory)),
    "processes": ("pids", "pids.max", lambda limits: str(limits.processes)),
    "cpus": ("cpu", "cpu.cfs_quota_us", lambda limits: str(int(limits.cpus * CPU_PERIOD))),
}
_V2: _Table = {
    "memory": ("memory", "memory.max", lambda limits: str(limits.memory)),
    "processes": ("pids", "pids.max", lambda limits: str(limits.processes)),
    "cpus": ("cpu", "cpu.max", lambda limits: f"{int(limits.cpus * CPU_PERIOD)} {CPU_PERIOD}"),
}


@dataclass(frozen=True)
class Hierarchy:
    """Where this process may make groups.

    Attributes:
        version: 1 or 2.
        parents: For each limit that can be enforced, the directory to make the group in.
    """

    version: int
    parents: Mapping[str, Path]


def memberships(text: str) -> dict[str, str]:
    """Parse /proc/self/cgroup: controller (empty for version 2) -> path of our own group."""
    found = {}
    for line in text.splitlines():
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            found[name] = path
    return found


def _own(base: Path, path: str) -> Path:
    """Our own group's directory; its root where the mount shows another namespace's paths."""
    own = base / path.lstrip("/")
    return own if own.is_dir() else base


def _usable(directory: Path) -> bool:
    return os.access(directory, os.W_OK | os.X_OK)


def find(mount: Path = MOUNT, own: str | None = None) -> Hierarchy | None:
    """Return where groups can be made, or None.

    Args:
        mount: Where cgroup file systems are mounted.
        own: The text of /proc/self/cgroup; read when None.
    """
    text = Path("/proc/self/cgroup").read_text(encoding="utf-8") if own is None else own
    paths = memberships(text)
    if (mount / "cgroup.controllers").is_file():
        return _find_v2(mount, paths.get("", "/"))
    parents = {}
    for limit, (controller, file, _) in _V1.items():
        directory = _own(mount / controller, paths.get(controller, "/"))
        if _usable(directory) and (controller == "pids" or (directory / file).exists()):
            parents[limit] = directory / OURS
    return Hierarchy(1, parents) if parents else None


def _find_v2(mount: Path, path: str) -> Hierarchy | None:
    """Version 2 forbids processes beside groups with controllers: make ours next to our own."""
    own = _own(mount, path)
    base = own if own == mount else own.parent
    if not _usable(base) or not os.access(base / "cgroup.procs", os.W_OK):
        return None
    offered = (base / "cgroup.controllers").read_text(encoding="utf-8").split()
    names = {limit: base / OURS for limit, (name, _, _) in _V2.items() if name in offered}
    return Hierarchy(2, names) if names else None


def _enable(hierarchy: Hierarchy) -> None:
    """Version 2: hand the controllers down, from the base to our directory and to its groups."""
    wanted = " ".join(f"+{_V2[limit][0]}" for limit in hierarchy.parents)
    ours = next(iter(hierarchy.parents.values()))
    for directory in (ours.parent, ours):
        directory.mkdir(exist_ok=True)
        (directory / "cgroup.subtree_control").write_text(wanted, encoding="utf-8")


def make(hierarchy: Hierarchy, name: str, limits: Limits) -> list[Path]:
    """Make the groups of one sandbox, limits set; return their directories.

    Raises:
        OSError: The kernel refuses; nothing is left behind.
    """
    table = _V1 if hierarchy.version == 1 else _V2
    made: list[Path] = []
    try:
        if hierarchy.version == 2:
            _enable(hierarchy)
        for limit, parent in hierarchy.parents.items():
            group = parent / name
            group.mkdir(parents=True, exist_ok=True)
            if group not in made:
                made.append(group)
            _, file, value = table[limit]
            (group / file).write_text(value(limits), encoding="utf-8")
            if limit == "memory":
                _forbid_swap(group, hierarchy.version, limits)
    except OSError:
        for group in made:
            remove(group)
        raise
    return made


def _forbid_swap(group: Path, version: int, limits: Limits) -> None:
    """Count swap with memory where the kernel does such accounting."""
    file = group / ("memory.memsw.limit_in_bytes" if version == 1 else "memory.swap.max")
    if file.exists():
        file.write_text(str(limits.memory) if version == 1 else "0", encoding="utf-8")


def join(groups: Iterable[Path], pids: Iterable[int]) -> None:
    """Move the processes that are not there yet into each of the groups.

    The first move after a pause takes 10 to 15 ms (the kernel waits for a grace period), whatever
    the number of processes.

    Raises:
        OSError: The kernel refuses.
    """
    for group in groups:
        file = group / "cgroup.procs"
        inside = set(map(int, file.read_text(encoding="utf-8").split()))
        for pid in set(pids) - inside:
            with suppress(ProcessLookupError):  # it has ended
                file.write_text(str(pid), encoding="utf-8")


def oom_kills(groups: list[Path]) -> int:
    """Return how many processes of the groups the kernel killed for want of memory."""
    for group in groups:
        for name in ("memory.oom_control", "memory.events"):
            file = group / name
            if file.exists():
                lines = dict(line.split() for line in file.read_text().splitlines())
                return int(lines.get("oom_kill", 0))
    return 0


def remove(group: Path, patience: float = 2.0) -> bool:
    """Remove a group, waiting for the last process to leave; tell whether it is gone."""
    deadline = time.monotonic() + patience
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        else:
            return True
