"""`AsyncSandbox`: the asyncio client, over the same operations."""

from __future__ import annotations

import asyncio
import os
import select
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeVar

from hub.errors import ClosedError, SandboxError
from hub.sandbox import frames
from hub.sandbox.client import PIECE, READ_LIMIT, Sandbox, finalizer, flows_for
from hub.sandbox.flows import GRACE, Flow, Flows, Request
from hub.sandbox.frames import Frame, Kind
from hub.sandbox.process import Container, Order
from hub.sandbox.types import Applied, ExecResult

T = TypeVar("T")

# A shell builtin is done sooner than an event loop has gone to sleep and woken up again: so many
# seconds it is waited for, with the loop standing still,
_BRIEF = 0.0001
# and so many seconds after the first of such waits in a turn of the loop no other one begins.
_STANDSTILL = 0.00015
_SELECT_MAX = 1024  # select() takes no higher descriptors


class _Turn:
    """One turn of an event loop: since when sandboxes have waited in it.

    A coroutine whose calls are all answered at once would never let the others go on.
    """

    def __init__(self) -> None:
        self._began: float | None = None

    def over(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Tell whether the others have to come first before anybody waits again."""
        now = time.monotonic()
        if self._began is None:
            self._began = now
            loop.call_soon(self._end)
        return now - self._began >= _STANDSTILL

    def _end(self) -> None:
        self._began = None


_TURNS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Turn] = weakref.WeakKeyDictionary()


class AsyncSandbox:
    """One running sandbox; make it with `await hub.sandbox.create_async`. A context manager.

    The same operations as `Sandbox`, as coroutines of the event loop that made it. One command
    runs at a time; cancelling a call ends its command.

    Attributes:
        id: Its name on this machine.
        provider: Name of what runs it.
        image: Name of its image.
        network: Whether it has network access.
        limits: Limit -> how this machine enforces it, `"not limited"` included.
    """

    def __init__(self, container: Container, flows: Flows) -> None:
        """Take over a running container; `create_async` and `adopt` call this."""
        order = container.order
        self._container = container
        self._flows = flows
        self._finalizer = finalizer(self, container)
        self._loop = asyncio.get_running_loop()
        self._lock = asyncio.Lock()
        self._buffer = frames.Buffer()
        self._outbox = bytearray()
        self._turn = _TURNS.setdefault(self._loop, _Turn())
        self._waiting: asyncio.Future[Frame | None] | None = None
        self._wanted = 0
        self._ended = False
        self._failure: SandboxError | None = None
        self._closed = False
        self.id = container.id
        self.provider = order.provider.name
        self.image = order.image
        self.network = order.network
        self.limits: Mapping[str, Applied] = container.applied
        os.set_blocking(container.stdin, False)
        os.set_blocking(container.stdout, False)
        self._loop.add_reader(container.stdout, self._on_readable)

    @classmethod
    async def start(cls, order: Order) -> Self:
        """Start a sandbox; see `create_async`."""
        container = await asyncio.to_thread(Container, order)
        sandbox = cls(container, flows_for(container))
        try:
            await sandbox._run(sandbox._flows.configure(container.rlimits))
            await asyncio.to_thread(container.confine)
        except BaseException:
            await sandbox.close()
            raise
        return sandbox

    @classmethod
    def adopt(cls, sandbox: Sandbox) -> Self:
        """Take over a synchronous sandbox, sessions included, for the running event loop.

        Raises:
            ClosedError: It is closed. From now on it says so to everybody.
        """
        return cls(*sandbox.release())

    async def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> ExecResult:
        """Run a program in a process of its own; see `Sandbox.exec`."""
        return await self._run(self._flows.exec(command, timeout, cwd, env, stdin))

    async def shell(self, command: str, *, timeout: float | None = None) -> ExecResult:
        """Run a command in the persistent shell; see `Sandbox.shell`."""
        return await self._run(self._flows.shell(command, timeout))

    async def python(self, code: str, *, timeout: float | None = None) -> ExecResult:
        """Run code in the persistent Python; see `Sandbox.python`."""
        return await self._run(self._flows.python(code, timeout))

    async def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes:
        """Return the content of a regular file; see `Sandbox.read`."""
        return await self._run(self._flows.read(path, limit))

    async def write(self, path: str, data: bytes | str) -> None:
        """Write a regular file; see `Sandbox.write`."""
        await self._run(self._flows.write(path, data))

    def alive(self) -> bool:
        """Tell whether the sandbox still runs; see `Sandbox.alive`."""
        return not self._closed and self._failure is None and self._container.running()

    async def close(self) -> None:
        """End every process of the sandbox; safe to call again, and finished once begun."""
        if not self._closed:
            self._closed = True
            self._loop.remove_reader(self._container.stdout)
            self._loop.remove_writer(self._container.stdin)
            self._answer(None)
        # shield: a cancelled caller leaves, the end of the container goes on.
        await asyncio.shield(self._loop.run_in_executor(None, self._finalizer))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # ---- moving bytes ----

    async def _run(self, flow: Flow[T]) -> T:
        async with self._lock:
            self._container.check_process()
            if self._closed:
                raise ClosedError("the sandbox is closed; create another one")
            if self._failure is not None:
                raise SandboxError(str(self._failure), self._failure.attribution)
            try:
                request = next(flow)
                while True:
                    brief = request.brief
                    if brief and self._turn.over(self._loop):
                        await asyncio.sleep(0)
                        brief = not self._turn.over(self._loop)
                    if self._closed:  # meanwhile
                        raise ClosedError("the sandbox was closed while a command ran")
                    self._send(request.data)
                    frame = self._look(request.seq) if brief else None
                    request = flow.send(frame or await self._awaited(request))
            except StopIteration as stop:
                result: T = stop.value
                return result

    def _look(self, seq: int) -> Frame | None:
        """Wait for a reply as long as one turn of the event loop would take."""
        stdout = self._container.stdout
        if stdout >= _SELECT_MAX or self._outbox:
            return None
        if select.select((stdout,), (), (), _BRIEF)[0]:
            self._read()
            while (frame := self._buffer.next()) is not None:
                if frame.seq == seq:
                    return frame
        return None

    async def _awaited(self, request: Request) -> Frame:
        try:
            return await self._reply(request.seq, request.within)
        except asyncio.CancelledError:
            if not self._closed:
                # The command must not outlive the caller's interest, nor answer the next request.
                self._send(frames.frame(Kind.CANCEL, request.seq))
                await _through(self._loop.create_task(self._reply(request.seq, GRACE)))
            raise

    async def _reply(self, seq: int, within: float) -> Frame:
        self._wanted = seq
        self._waiting = self._loop.create_future()
        timer = self._loop.call_later(within, self._answer, None)
        self._take_frames()
        try:
            frame = await self._waiting
        finally:
            timer.cancel()
            self._waiting = None
        if frame is None:
            if self._closed:
                raise ClosedError("the sandbox was closed while a command ran")
            self._failure = await asyncio.to_thread(self._container.why)
            raise self._failure
        return frame

    def _answer(self, frame: Frame | None) -> None:
        """Give the waiting call its reply, or None when there will be none."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(frame)

    def _send(self, data: bytes) -> None:
        """Send bytes, or queue them: what a cancelled call began to send is always sent whole."""
        if not self._outbox:
            data = data[self._written(data) :]
            if not data:
                return
            self._loop.add_writer(self._container.stdin, self._on_writable)
        self._outbox += data

    def _on_writable(self) -> None:
        del self._outbox[: self._written(self._outbox)]
        if not self._outbox:
            self._loop.remove_writer(self._container.stdin)

    def _written(self, data: bytes | bytearray) -> int:
        """Write what the pipe takes; return how many bytes need no more writing."""
        try:
            return os.write(self._container.stdin, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:  # its end of file on stdout tells the waiting call
            return len(data)

    def _on_readable(self) -> None:
        self._read()
        self._take_frames()

    def _read(self) -> None:
        try:
            data = os.read(self._container.stdout, PIECE)
        except BlockingIOError:  # `_look` was faster
            return
        if not data:
            self._loop.remove_reader(self._container.stdout)
            self._ended = True
        self._buffer.feed(data)

    def _take_frames(self) -> None:
        while self._waiting is not None and (frame := self._buffer.next()) is not None:
            if frame.seq == self._wanted:
                self._answer(frame)
                return
        if self._ended or self._closed:
            self._answer(None)


async def _through(task: asyncio.Task[Frame]) -> None:
    """Wait for a task to its end, whatever is cancelled meanwhile; its failure is kept in it."""
    while not task.done():
        with suppress(asyncio.CancelledError, SandboxError, ClosedError):
            await asyncio.shield(task)
    if not task.cancelled():
        task.exception()
