"""A child process that runs rules: started, read with a deadline, and killed with its children.

An environment may block inside a step, or take its process down. So rules run in a child; it
reports through a pipe of its own (an environment may print) and announces each call into the
environment in a `Pulse`.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from hub.conformance import guardian, starved
from hub.conformance.pulse import Beat, Pulse

# How often a call into the environment is looked at, in seconds.
LOOK = 0.25


class TimedOut(Exception):
    """The child had not finished at its deadline."""


class Hung(TimedOut):
    """One call into the environment took longer than it may."""


class Child:
    """`python -m hub.conformance.worker` at work on one request.

    Args:
        request: JSON values; see `hub.conformance.worker`.
        hash_seed: The child's `PYTHONHASHSEED`.
        own_group: Whether to start a process group, so that killing takes the child's children.
    """

    def __init__(self, request: Mapping[str, Any], hash_seed: int, own_group: bool = True) -> None:
        self._group = own_group
        self._folder = tempfile.TemporaryDirectory(prefix="hub-check-")
        folder = Path(self._folder.name)
        self._pulse = Pulse(folder / "pulse")
        self._log = folder / "log"
        self._call = 0.0  # the call that was looked at last, and the waits before it
        self._before: starved.Delays = {}
        self._read, write = os.pipe()
        # In a session of its own, so that what ends the checking process does not end it too.
        self._guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", guardian.__file__, str(folder)],
            bufsize=0,
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        path = [entry or str(Path.cwd()) for entry in sys.path]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONHASHSEED": str(hash_seed)}
        command = [sys.executable, "-m", "hub.conformance.worker", str(write), str(folder)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=env,
                pass_fds=(write,),
                start_new_session=own_group,
            )
        os.close(write)
        self._tell_guardian(-self._process.pid if own_group else self._process.pid)
        assert self._process.stdin is not None
        with self._process.stdin as stdin:
            stdin.write(json.dumps(request).encode())

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        os.close(self._read)
        self._pulse.close()
        self._folder.cleanup()
        self._tell_guardian("done")
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        self._guardian.wait()

    def _tell_guardian(self, line: int | str) -> None:
        assert self._guardian.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # somebody ended it: nothing is left to tell
            self._guardian.stdin.write(f"{line}\n".encode())

    def events(self, deadline: float, longest: float = math.inf) -> Iterator[dict[str, Any]]:
        """Yield the child's events until it ends.

        Args:
            deadline: In terms of `time.monotonic()`.
            longest: Seconds that one call into the environment may take, less what it waited for
                a core that others had.

        Raises:
            TimedOut: The deadline passed; `Hung` if a call took longer than it may.
        """
        buffer = b""
        while True:
            wait = max(0.0, min(deadline - time.monotonic(), LOOK))
            ready, _, _ = select.select([self._read], [], [], wait)
            if not ready:
                self._require_time(deadline, longest)
                continue
            chunk = os.read(self._read, 65_536)
            if not chunk:
                return
            *lines, buffer = (buffer + chunk).split(b"\n")
            yield from (json.loads(line) for line in lines)

    def _require_time(self, deadline: float, longest: float) -> None:
        beat, now = self.beat(), time.monotonic()
        if beat.started != self._call:
            self._call, self._before = beat.started, starved.delays(self._process.pid)
        took = now - beat.started
        if beat.started and took > longest and took - self._starved() > longest:
            raise Hung
        if now >= deadline:
            raise TimedOut

    def _starved(self) -> float:
        """Return how long, in seconds, the call in progress has waited for a core."""
        return starved.longest(self._before, starved.delays(self._process.pid))

    def beat(self) -> Beat:
        """Return the last announced call into the environment."""
        return self._pulse.read()

    def death(self) -> str:
        """Return how the child ended, with the last line that it printed."""
        code = self._process.wait()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return f"{how}; it last printed: {lines[-1][:200]}" if lines else how

    def kill(self) -> None:
        """End the child, with its children when it has its own group."""
        if self._process.poll() is None or self._group:
            try:
                if self._group:
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
            except ProcessLookupError:
                pass  # it, or the last of its group, ended meanwhile
        self._process.wait()
