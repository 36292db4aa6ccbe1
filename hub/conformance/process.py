"""A child process that runs rules: started, read with a deadline, and killed with its children.

An environment may block inside a step, or take its process down. So rules run in a child; it
reports through a pipe of its own (an environment may print) and announces each call into the
environment in a `Pulse`.
"""

from __future__ import annotations

import json
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

from hub.conformance.pulse import Beat, Pulse


class TimedOut(Exception):
    """The child had not finished at its deadline."""


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
        self._read, write = os.pipe()
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

    def events(self, deadline: float) -> Iterator[dict[str, Any]]:
        """Yield the child's events until it ends.

        Args:
            deadline: In terms of `time.monotonic()`.

        Raises:
            TimedOut: The deadline passed.
        """
        buffer = b""
        while True:
            wait = deadline - time.monotonic()
            ready, _, _ = select.select([self._read], [], [], max(0.0, wait))
            if not ready:
                raise TimedOut
            chunk = os.read(self._read, 65_536)
            if not chunk:
                return
            *lines, buffer = (buffer + chunk).split(b"\n")
            yield from (json.loads(line) for line in lines)

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
