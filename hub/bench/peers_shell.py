"""What the suite `sandbox` compares with: a bare container start, bash on pipes, a tmux pane."""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Self

from hub.sandbox import AsyncSandbox, Limits, Start, create_async, state
from hub.sandbox.images import HOST, find
from hub.sandbox.providers import helper, provider


class BareStart:
    """The provider's own program with our flags, running `echo` in place of the helper."""

    def __init__(self, name: str) -> None:
        uid, gid = state.sandbox_ids()
        runner = provider(name)
        self._init = str(helper())
        start = Start(find(HOST, runner), helper(), Path("/"), Limits(), False, (), uid, gid)
        argv = runner.command(start)
        # The last two words are the helper and its argument.
        self._argv = [*argv[:-2], "/bin/echo", "ready"]
        if os.geteuid() == 0:
            launch = [self._init, "launch", "--user", str(uid), str(gid), "--"]
            self._argv = [*launch, *self._argv]
        self._ids = uid, gid

    def once(self) -> float:
        """Return the seconds from the start to the first byte of output."""
        with tempfile.TemporaryDirectory() as home:
            if os.geteuid() == 0:
                os.chown(home, *self._ids)
            names = ("CONFIGDIR", "CACHEDIR", "TMPDIR")
            env = {"PATH": os.environ["PATH"], **{f"APPTAINER_{name}": home for name in names}}
            begin = time.perf_counter()
            process = subprocess.Popen(
                self._argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env, cwd="/"
            )
            assert process.stdout is not None
            said = process.stdout.readline()
            seconds = time.perf_counter() - begin
            process.stdout.close()
            process.wait()
        if said != b"ready\n":
            raise RuntimeError(f"{self._argv[0]} said {said!r}")
        return seconds


class PipedBash:
    """Bash on two plain pipes, without a sandbox: a command, a sentinel line, a time limit."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._sentinel = uuid.uuid4().hex[:16]
        return self

    def run(self, command: str, timeout: float = 60.0) -> tuple[str, int]:
        """Run a command; return its output and its exit status."""
        mark = f"\n{self._sentinel} "
        os.write(self._in, f"{command}\nprintf '\\n%s %d\\n' {self._sentinel} $?\n".encode())
        seen = b""
        while not (seen.endswith(b"\n") and mark.encode() in seen):
            if not self._poll.poll(timeout * 1e3):
                raise TimeoutError(f"{command!r} took more than {timeout} s")
            seen += os.read(self._out, 65536)
        output, _, status = seen.decode().rpartition(mark)
        return output, int(status)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()


class TmuxPoll:
    """A shell in a tmux pane: keys are sent, and the pane is read until the answer shows."""

    @staticmethod
    def program() -> str | None:
        """Return the path of tmux, or None."""
        return shutil.which("tmux")

    def __enter__(self) -> Self:
        self._socket = f"hub-bench-{uuid.uuid4().hex[:8]}"
        self._call("-f", "/dev/null", "new-session", "-d", "bash --noprofile --norc")
        return self

    def _call(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def echo(self, number: int) -> None:
        """Run an echo and read the pane until its output is there."""
        # Split, so that the typed line is not taken for the answer.
        self._call("send-keys", f"echo ans''wer-{number}-", "Enter")
        while f"answer-{number}-" not in self._call("capture-pane", "-p"):
            pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._call("kill-server")


class AsyncShell:
    """The asyncio client in an event loop of its own, which stands still between two `many`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._sandbox: AsyncSandbox = self._runner.run(create_async(provider=self._name))
        return self

    def many(self, count: int) -> list[float]:
        """Return the seconds of each of `count` echoes that one coroutine asks for in turn."""
        return self._runner.run(self._timed(count))

    async def _timed(self, count: int) -> list[float]:
        seconds = []
        for _ in range(count):
            begin = time.perf_counter()
            await self._sandbox.shell("echo hi")
            seconds.append(time.perf_counter() - begin)
        return seconds

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self._sandbox.close())
        self._runner.close()
