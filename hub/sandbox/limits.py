"""How each limit is enforced on this machine: control groups where we may, else rlimits."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from dataclasses import dataclass

from hub.sandbox import cgroups
from hub.sandbox.types import NOT_LIMITED, Applied, Features, Limits


@dataclass(frozen=True)
class Plan:
    """What will be done for one sandbox.

    Attributes:
        hierarchy: Control groups to make, or None.
        rlimits: Resource number -> value, set for every command.
        applied: Limit -> how it is enforced, for the caller.
    """

    hierarchy: cgroups.Hierarchy | None
    rlimits: Mapping[int, int]
    applied: Mapping[str, Applied]


def plan(limits: Limits, features: Features, hierarchy: cgroups.Hierarchy | None) -> Plan:
    """Choose the means for every limit, given the control groups that can be made."""
    by_group = hierarchy.parents if hierarchy else {}
    version = f"cgroup v{hierarchy.version}" if hierarchy else ""
    cpu_seconds = int(limits.lifetime * max(limits.cpus, 1.0)) + 1
    rlimits = {resource.RLIMIT_CPU: cpu_seconds}
    applied: dict[str, Applied] = {}
    if "memory" in by_group:
        applied["memory"] = Applied(limits.memory, f"{version} memory", "the whole sandbox")
    else:
        rlimits[resource.RLIMIT_AS] = limits.memory
        applied["memory"] = Applied(
            limits.memory, "RLIMIT_AS", "address space of each process; their sum is not limited"
        )
    if "processes" in by_group:
        applied["processes"] = Applied(limits.processes, f"{version} pids", "the whole sandbox")
    else:
        rlimits[resource.RLIMIT_NPROC] = limits.processes
        applied["processes"] = Applied(
            limits.processes, "RLIMIT_NPROC", "counted per user namespace, so per sandbox"
        )
    if "cpus" in by_group:
        applied["cpus"] = Applied(limits.cpus, f"{version} cpu", "the whole sandbox")
    else:
        applied["cpus"] = Applied(
            limits.cpus, NOT_LIMITED, f"RLIMIT_CPU ends a process after {cpu_seconds} s of CPU time"
        )
    applied["disk"] = Applied(limits.disk, features.disk, features.disk_note)
    if features.disk != NOT_LIMITED:
        rlimits[resource.RLIMIT_FSIZE] = limits.disk
    applied["lifetime"] = Applied(limits.lifetime, "timer of PID 1", "the whole sandbox")
    applied["timeout"] = Applied(limits.timeout, "timer of PID 1", "each command and its tree")
    applied["output"] = Applied(limits.output, "PID 1", "kept of each stream; drained beyond")
    applied["flood"] = Applied(limits.flood, "PID 1", "the command is killed beyond")
    return Plan(hierarchy, rlimits, applied)
