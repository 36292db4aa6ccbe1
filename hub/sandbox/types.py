"""What callers and providers of sandboxes share: limits, results, mounts, the provider protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

MIB = 1 << 20
NOT_LIMITED = "not limited"

INIT_PATH = "/.hub-init"
WORKSPACE = "/workspace"


_MOST = 1 << 50  # bytes: beyond any machine, and within what the kernel's interfaces take
# Least and most of the whole numbers among the limits. Linux knows 2^22 processes at most; a reply
# carries two streams of output, and its length is 32 bits.
_RANGES = {
    "memory": (16 * MIB, _MOST),
    "processes": (8, 1 << 22),
    "disk": (MIB, _MOST),
    "output": (256, 1 << 30),
    "flood": (1024, _MOST),
}


@dataclass(frozen=True)
class Limits:
    """What one sandbox may use. `Sandbox.limits` tells which of it this machine enforces, and how.

    Attributes:
        memory: Bytes of memory; files in the sandbox's own file systems count where a cgroup
            enforces it.
        processes: Processes and threads at once.
        cpus: CPU cores' worth of time per second.
        disk: Bytes of everything written: `/`, `/tmp`, `/dev` and `/dev/shm` together.
        lifetime: Seconds from creation until the sandbox ends itself, whoever is still there.
        timeout: Seconds that one command may take when its call names no other time.
        output: Bytes kept of each of a command's output streams: the first and the last half.
        flood: Bytes of output after which a command is killed.
    """

    memory: int = 2048 * MIB
    processes: int = 256
    cpus: float = 2.0
    disk: int = 1024 * MIB
    lifetime: float = 3600.0
    timeout: float = 120.0
    output: int = MIB
    flood: int = 4096 * MIB

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or not least <= value <= most:
                raise ValueError(f"limit {name}={value!r}: expected an int from {least} to {most}")
        for name in ("cpus", "lifetime", "timeout"):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0.01 <= value <= 1e8:
                raise ValueError(f"limit {name}={value!r}: expected a number from 0.01 to 1e8")


@dataclass(frozen=True)
class Mount:
    """A directory or file of the host inside the sandbox, read-only unless `writable`.

    Attributes:
        source: Absolute path on the host; it must exist.
        target: Absolute path inside, not `/` itself.
        writable: Commands inside may change it; its size is then not limited.
    """

    source: Path
    target: PurePosixPath
    writable: bool = False

    def __post_init__(self) -> None:
        for name, given in (("source", self.source), ("target", self.target)):
            if not isinstance(given, str | os.PathLike):
                raise TypeError(f"mount {name} {given!r:.80}: expected a path")
        if not isinstance(self.writable, bool):
            raise TypeError(f"mount writable {self.writable!r:.80}: expected True or False")
        object.__setattr__(self, "source", Path(self.source))
        object.__setattr__(self, "target", PurePosixPath(self.target))
        for name, path in (("source", self.source), ("target", self.target)):
            # Both providers split mount options at colons and commas.
            if not path.is_absolute() or ".." in path.parts or set(":,\n") & set(str(path)):
                raise ValueError(
                    f"mount {name} {str(path)!r}: expected an absolute path "
                    "without '..', ':', ',' and newlines"
                )
        if not self.target.parts[1:]:
            raise ValueError(f"mount target {str(self.target)!r}: expected a path below '/'")
        if not self.source.exists():
            raise ValueError(f"mount source {str(self.source)!r} does not exist on the host")


@dataclass(frozen=True)
class Applied:
    """How one limit is enforced in a running sandbox.

    Attributes:
        value: The limit, in the unit of `Limits`.
        means: What enforces it, or `"not limited"`.
        note: What the means does not cover, or why there is none.
    """

    value: float
    means: str
    note: str = ""

    @property
    def enforced(self) -> bool:
        """Whether anything enforces the limit."""
        return self.means != NOT_LIMITED


class ExecResult(NamedTuple):
    """What became of one command.

    Attributes:
        exit_code: The exit status; as in a shell, 128 + N when signal N ended it.
        stdout_bytes: Standard output; where more came than `Limits.output`, the head and the tail
            around one line that says how much is left out.
        stderr_bytes: Standard error, likewise.
        timed_out: It was killed at its timeout, with everything that it had started.
        truncated: Output was left out, or the command was killed for flooding.
        seconds: Wall time inside the sandbox.
        notice: What the agent should be told besides (a restarted shell), or empty.
        network: The sandbox had network access.
        unsafe: The command ran without isolation (provider `local`).
    """

    exit_code: int
    stdout_bytes: bytes
    stderr_bytes: bytes
    timed_out: bool
    truncated: bool
    seconds: float
    notice: str = ""
    network: bool = False
    unsafe: bool = False

    @property
    def stdout(self) -> str:
        """Standard output as text; bytes that are no UTF-8 become U+FFFD."""
        return self.stdout_bytes.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        """Standard error as text, likewise."""
        return self.stderr_bytes.decode("utf-8", "replace")


@dataclass(frozen=True)
class Image:
    """A root file system.

    Attributes:
        name: What `create(image=...)` was given.
        kind: `host` (the host's own /usr over an empty root) or `directory`.
        path: The skeleton, or the root directory.
        env: Variables that the image sets for its commands.
    """

    name: str
    kind: str
    path: Path
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """Everything that a provider needs to know to start one container.

    Attributes:
        image: The root file system.
        init: The helper on the host; it must run as PID 1, bound read-only at `INIT_PATH`.
        directory: This sandbox's own directory on the host, empty, owned by the sandbox's user.
        limits: The limits asked for; the provider enforces `disk` as far as it can.
        network: Whether to share the host's network.
        mounts: What to bind.
        uid: User that the container runs as, and `gid`.
    """

    image: Image
    init: Path
    directory: Path
    limits: Limits
    network: bool
    mounts: tuple[Mount, ...]
    uid: int
    gid: int


@dataclass(frozen=True)
class Features:
    """What a provider's containers have, besides what every sandbox has.

    Attributes:
        images: Kinds of image that it can run.
        isolated: False only for `local`.
        disk: What bounds everything written, or `"not limited"`; and `disk_note`.
        notes: Other things that a user should know.
    """

    images: tuple[str, ...]
    isolated: bool = True
    disk: str = NOT_LIMITED
    disk_note: str = ""
    notes: tuple[str, ...] = field(default=())


class Provider(Protocol):
    """Something that starts containers. `hub.sandbox.conformance` is the suite for it.

    A container must have PID, IPC, UTS, mount and (unless `Start.network`) network namespaces of
    its own, an environment without the host's variables, `/proc` of its own PID namespace and the
    writable directories `/workspace` and `/tmp`.
    """

    name: str
    features: Features

    def missing(self) -> str | None:
        """Say why this machine cannot run it and what would fix that; None when it can."""

    def command(self, start: Start) -> Sequence[str]:
        """Return the argv that becomes the container, ending in `INIT_PATH`, `init`.

        It runs as `start.uid`, in its own session, with an environment of PATH and HOME alone.
        Files that it needs may be written to `start.directory`.
        """
