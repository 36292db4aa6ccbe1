"""One running container seen from the host: its start, its end, and why it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hub.errors import ForkedError, SandboxError
from hub.sandbox import cgroups, state
from hub.sandbox.images import find as find_image
from hub.sandbox.limits import Plan, plan
from hub.sandbox.providers import helper
from hub.sandbox.types import WORKSPACE, Applied, Limits, Mount, Provider, Start

# Exit statuses of the helper (native/sandbox-init/src/main.c).
_EXIT_LIFETIME = 75
_LOG_TAIL = 2000


@dataclass(frozen=True)
class Order:
    """What `create` was asked for, checked."""

    image: str
    provider: Provider
    limits: Limits
    network: bool
    mounts: tuple[Mount, ...]
    env: Mapping[str, str]
    groups: bool = True  # use control groups where they can be had


class Container:
    """The processes, directory and control groups of one sandbox.

    Attributes:
        order: What was asked for.
        image: Its root file system.
        lifetime: Seconds from its creation, or from when it was renewed.
        stdin: Write end of the helper's input pipe, and `stdout`: read end of its output.
    """

    def __init__(self, order: Order) -> None:
        """Start the container.

        Raises:
            SandboxError: The machine refuses (infra).
            ImageError: There is no such image.
        """
        state.sweep_once()
        self.order = order
        self.lifetime = order.limits.lifetime
        self.image = find_image(order.image, order.provider)
        self._record = state.Record.new()
        self._record.image = str(self.image.path)
        self._ended = False
        self._removed = False
        try:
            self._plan = self._make_groups()
            self._process = self._start()
        except OSError as error:
            state.remove(self._record)
            raise SandboxError(f"cannot start a sandbox: {error}") from error
        except BaseException:
            state.remove(self._record)
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin = self._process.stdin.fileno()
        self.stdout = self._process.stdout.fileno()

    @property
    def applied(self) -> Mapping[str, Applied]:
        """How each limit is enforced."""
        return self._plan.applied

    @property
    def rlimits(self) -> Mapping[int, int]:
        """What the helper sets for every command."""
        return self._plan.rlimits

    @property
    def workspace(self) -> str:
        """Where commands start, inside."""
        isolated = self.order.provider.features.isolated
        return WORKSPACE if isolated else str(self._record.directory / "files")

    @property
    def id(self) -> str:
        """The sandbox's name on this machine."""
        return self._record.id

    def _make_groups(self) -> Plan:
        limits, features = self.order.limits, self.order.provider.features
        hierarchy = cgroups.find() if self.order.groups else None
        if hierarchy:
            paths = {parent / self._record.id for parent in hierarchy.parents.values()}
            self._record.cgroups = sorted(map(str, paths))
        self._record.write()  # before there is anything that a sweep would have to find
        if hierarchy:
            try:
                cgroups.make(hierarchy, self._record.id, limits)
            except OSError:
                # Shown by create().limits: the means of every limit is then an rlimit.
                hierarchy, self._record.cgroups = None, []
        return plan(limits, features, hierarchy)

    def _start(self) -> subprocess.Popen[bytes]:
        order, uid, gid = self.order, *state.sandbox_ids()
        directory = self._record.directory / "files"
        directory.mkdir()
        if os.geteuid() == 0:
            os.chown(directory, uid, gid)
        init = helper()
        start = Start(
            image=self.image,
            init=init,
            directory=directory,
            limits=order.limits,
            network=order.network,
            mounts=order.mounts,
            uid=uid,
            gid=gid,
        )
        launch = [str(init), "launch"]
        if os.geteuid() == 0:
            launch += ["--user", str(uid), str(gid)]
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                [*launch, "--", *order.provider.command(start)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=_outer_environment(directory),
                cwd="/",
                bufsize=0,
                start_new_session=True,
            )
        try:
            self._follow(process.pid)
        except BaseException:  # Ctrl-C among them
            os.killpg(process.pid, signal.SIGKILL)
            with process:  # its end, and that of its pipes
                raise
        return process

    def _follow(self, leader: int) -> None:
        self._record.leader = leader
        self._record.leader_started = state.start_time(leader)
        self._record.write()
        self._joining = threading.Thread(target=self._join, args=([leader],), daemon=True)
        self._joining.start()

    def _join(self, pids: Iterable[int]) -> None:
        # What goes wrong here is met again, and told, by `confine`.
        with suppress(OSError):
            cgroups.join(map(Path, self._record.cgroups), pids)

    def confine(self) -> None:
        """See that PID 1 and all others are in the control groups; before the first command.

        Joining takes the kernel some 15 ms, so it goes on beside the container's own start. What
        was forked meanwhile is moved here: until now nothing of the caller's has run.

        Raises:
            SandboxError: The kernel refuses.
        """
        self._joining.join()
        groups = [Path(path) for path in self._record.cgroups]
        try:
            # From the leader down: a scan of all of /proc would take longer than the join.
            cgroups.join(groups, state.descendants(self._record.leader) if groups else ())
        except OSError as error:
            raise SandboxError(
                f"cannot put the sandbox into its control groups: {error}"
            ) from error

    @property
    def _log(self) -> Path:
        return self._record.directory / "log"

    def kill(self) -> None:
        """Send SIGKILL to the outer processes and to PID 1, and so to all."""
        # The session's number is ours until the process is waited for.
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _ask_to_end(self, patience: float = 2.0) -> None:
        """Without a PID namespace only the helper knows what to end: tell it that we go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)

    def owned(self) -> bool:
        """Tell whether this process started it, and is no child forked since."""
        return os.getpid() == self._record.owner

    def check_process(self) -> None:
        """Raise `ForkedError` in a child that was forked from the process that started it."""
        if not self.owned():
            raise ForkedError(
                f"sandbox {self.id} belongs to process {self._record.owner}, which was forked; "
                "create sandboxes after the fork"
            )

    def running(self) -> bool:
        """Tell whether the container has not ended."""
        return not self._ended and self._process.poll() is None

    def oom_kills(self) -> int:
        """Return how many of its processes the kernel killed for want of memory, if it counts."""
        return cgroups.oom_kills([Path(path) for path in self._record.cgroups])

    def why(self, patience: float = 1.0) -> SandboxError:
        """Say why the helper no longer answers, and whose doing it was; ends what is left."""
        try:
            code: int | None = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            code = None
        kills = self.oom_kills()
        log = ""
        with suppress(FileNotFoundError):  # a sweep of another process took us for left over
            log = self._log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:].strip()
        self.end()
        if code == _EXIT_LIFETIME:
            return SandboxError(f"the sandbox's lifetime of {self.lifetime:g} s is over", "budget")
        if kills:
            return SandboxError(
                f"the sandbox ran out of its {self.order.limits.memory} bytes of memory", "agent"
            )
        what = "does not answer" if code is None else f"ended with status {code}"
        return SandboxError(f"the sandbox {what}{': ' + log if log else ''}")

    def end(self) -> None:
        """End every process and remove every trace; safe to call again, interrupted too."""
        if self._removed:
            return
        self._ended = True
        if not self.order.provider.features.isolated:
            self._ask_to_end()
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        state.remove(self._record)
        self._removed = True


def _outer_environment(directory: Path) -> dict[str, str]:
    """All that the provider's own program gets to see of our environment."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "APPTAINER_CONFIGDIR": str(directory),
        "APPTAINER_CACHEDIR": str(directory),
        "APPTAINER_TMPDIR": str(directory),
        "SINGULARITY_CONFIGDIR": str(directory),
    }
