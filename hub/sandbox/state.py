"""Where sandboxes keep their things on the host, who owns them, and the sweep of leftovers.

One directory per user holds a directory for each running sandbox with a record of its owner: the
boot, the process and its start time, so that a number used again is never mistaken. A sweep ends
and removes what a dead owner left behind, and nothing else.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import tempfile
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hub.errors import SandboxError
from hub.sandbox import cgroups

RECORD = "record.json"
SANDBOX_USER = "hub-sandbox"
NOBODY = 65534
# A container's own processes start within this many seconds of its first one.
_START_WINDOW = 300.0


def sandbox_ids() -> tuple[int, int]:
    """Return the uid and gid of containers: our own; for root those of `hub-sandbox` or nobody."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    try:
        entry = pwd.getpwnam(SANDBOX_USER)
    except KeyError:
        return NOBODY, NOBODY
    return entry.pw_uid, entry.pw_gid


def root() -> Path:
    """Return the state directory of this user, made on first use.

    It hangs on the uid alone: two job steps with another HOME or host name share it.

    Raises:
        SandboxError: Somebody else made it.
    """
    return _checked(Path(tempfile.gettempdir()) / f"hub-sandbox-{os.geteuid()}")


@cache
def _checked(path: Path) -> Path:
    # Root's containers run as another user, who must pass through but not look around.
    path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, exist_ok=True)
    stat = path.lstat()
    if stat.st_uid != os.geteuid() or path.is_symlink() or stat.st_mode & 0o022:
        raise SandboxError(f"{path} belongs to somebody else or is open to others; remove it")
    (path / "run").mkdir(mode=0o711, exist_ok=True)
    return path


def empty() -> Path:
    """Return an empty directory, to be mounted over one that a sandbox shall not show."""
    path = root() / "empty"
    path.mkdir(mode=0o755, exist_ok=True)
    return path


@cache
def boot_id() -> str:
    """Return the kernel's id of this boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()


def pid_namespace() -> str:
    """Return the name of our PID namespace."""
    return str(Path("/proc/self/ns/pid").readlink())


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat from the state on; None without such a process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def start_time(pid: int) -> int:
    """Return the start time of a process in clock ticks since boot; 0 if there is none."""
    fields = _stat(pid)
    return int(fields[19]) if fields and fields[0] not in "ZX" else 0


@dataclass
class Record:
    """Who owns a sandbox and what it consists of.

    Attributes:
        id: Its name, unique.
        boot: The boot in which it was made.
        owner: PID of the process that made it; `owner_started` tells it from a later namesake.
        leader: PID of its first process, which leads a session; 0 until it is started.
        leader_started: Start time of that process.
        cgroups: Directories of its control groups.
        image: Root file system that it runs on.
        namespace: PID namespace in which those numbers hold.
    """

    id: str
    boot: str
    owner: int
    owner_started: int
    leader: int = 0
    leader_started: int = 0
    cgroups: list[str] = field(default_factory=list)
    image: str = ""
    namespace: str = ""

    @classmethod
    def new(cls) -> Record:
        """Make the record of a sandbox that this process is about to start."""
        pid = os.getpid()
        name = uuid.uuid4().hex[:16]
        return cls(name, boot_id(), pid, start_time(pid), namespace=pid_namespace())

    @property
    def directory(self) -> Path:
        """The sandbox's directory."""
        return root() / "run" / self.id

    def write(self) -> None:
        """Write the record, whole or not at all."""
        directory = self.directory
        directory.mkdir(exist_ok=True)
        temporary = directory / f"{RECORD}.new"
        temporary.write_text(json.dumps(vars(self)), encoding="utf-8")
        temporary.rename(directory / RECORD)

    def left_over(self) -> bool:
        """Tell whether the process that made it is gone; unknown (False) in other namespaces."""
        if self.boot != boot_id():
            return True
        return self.namespace == pid_namespace() and start_time(self.owner) != self.owner_started

    def processes(self) -> list[int]:
        """Return the host's PIDs of the container's outer processes and its PID 1."""
        if self.boot != boot_id() or not self.leader:
            return []
        return session_members(self.leader, self.leader_started)


def session_members(leader: int, started: int) -> list[int]:
    """Return the members of the session `leader` whose first process started at `started`."""
    if start_time(leader) not in (0, started):
        return []  # the number belongs to another process now
    latest = started + int(_START_WINDOW * os.sysconf("SC_CLK_TCK"))
    members = []
    for entry in Path("/proc").iterdir():
        fields = _stat(int(entry.name)) if entry.name.isdigit() else None
        if not fields or fields[0] in "ZX" or int(fields[3]) != leader:
            continue
        if started <= int(fields[19]) <= latest:
            members.append(int(entry.name))
    return members


def descendants(pid: int) -> list[int]:
    """Return a living process and all that it and its children have started."""
    found = [pid]
    for one in found:  # grows as it goes
        for path in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(FileNotFoundError, ProcessLookupError):
                found += map(int, path.read_text(encoding="utf-8").split())
    return found


def kill_all(pids: list[int]) -> None:
    """Send SIGKILL to each; a PID namespace goes with its PID 1."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def remove(record: Record) -> None:
    """Remove what a sandbox left on disk and in control groups, once its processes are gone.

    A control group that is still busy keeps the record, for a later sweep.
    """
    shutil.rmtree(record.directory / "files", ignore_errors=True)
    gone = [cgroups.remove(Path(path)) for path in record.cgroups]
    if all(gone):
        shutil.rmtree(record.directory, ignore_errors=True)


def records() -> list[Record]:
    """Return the records of all sandboxes of this user, running and left over."""
    found = []
    for path in sorted((root() / "run").glob(f"*/{RECORD}")):
        try:
            found.append(Record(**json.loads(path.read_text(encoding="utf-8"))))
        except FileNotFoundError:
            continue  # closed while we looked
    return found


@cache
def sweep_once() -> None:
    """Sweep when this process starts its first sandbox."""
    sweep()


def sweep(patience: float = 5.0) -> list[str]:
    """End and remove the sandboxes whose owner is dead; return their ids.

    Args:
        patience: Seconds to wait for killed processes to be gone.
    """
    dead = [record for record in records() if record.left_over()]
    deadline = time.monotonic() + patience
    for record in dead:
        while (alive := record.processes()) and time.monotonic() < deadline:
            kill_all(alive)
            time.sleep(0.01)
        if not alive:
            remove(record)
    return [record.id for record in dead]
