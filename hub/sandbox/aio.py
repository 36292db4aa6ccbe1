"""`AsyncSandbox`: the asyncio client, over the same operations."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeVar, cast

from hub.errors import ClosedError, SandboxError
from hub.sandbox import frames
from hub.sandbox.client import READ_LIMIT, Sandbox, finalizer, flows_for
from hub.sandbox.flows import GRACE, Flow, Flows, Request
from hub.sandbox.frames import Frame, Kind
from hub.sandbox.process import Container, Order
from hub.sandbox.types import Applied, ExecResult

T = TypeVar("T")

# A shell builtin is done sooner than an event loop has gone to sleep and woken up again. For so
# many seconds the loop stands still at most.
_BRIEF = 0.0001
_SELECT_MAX = 1024  # select() takes no higher descriptors


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
                    request = flow.send(await self._exchange(request))
            except StopIteration as stop:
                return cast("T", stop.value)

    async def _exchange(self, request: Request) -> Frame:
        self._send(request.data)
        if request.brief and self._container.stdout < _SELECT_MAX and not self._outbox:
            frame = self._look(request.seq)
            if frame is not None:
                return frame
        try:
            return await self._reply(request.seq, request.within)
        except asyncio.CancelledError:
            # The command must not outlive the caller's interest, nor answer the next request.
            self._send(frames.frame(Kind.CANCEL, request.seq))
            await _through(self._loop.create_task(self._reply(request.seq, GRACE)))
            raise

    def _look(self, seq: int) -> Frame | None:
        """Wait for a reply as long as one turn of the event loop would take."""
        if select.select([self._container.stdout], [], [], _BRIEF)[0]:
            self._on_readable()
            while (frame := self._buffer.next()) is not None:
                if frame.seq == seq:
                    return frame
        return None

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
        """Queue bytes; what a cancelled call began to send is always sent whole."""
        self._outbox += data
        self._on_writable()

    def _on_writable(self) -> None:
        try:
            while self._outbox:
                del self._outbox[: os.write(self._container.stdin, self._outbox)]
        except BlockingIOError:
            self._loop.add_writer(self._container.stdin, self._on_writable)
            return
        except BrokenPipeError:  # its end of file on stdout tells the waiting call
            self._outbox.clear()
        self._loop.remove_writer(self._container.stdin)

    def _on_readable(self) -> None:
        data = os.read(self._container.stdout, 1 << 18)
        if not data:
            self._loop.remove_reader(self._container.stdout)
            self._ended = True
        self._buffer.feed(data)
        self._take_frames()

    def _take_frames(self) -> None:
        while self._waiting is not None and (frame := self._buffer.next()) is not None:
            if frame.seq == self._wanted:
                self._answer(frame)
                return
        if self._ended:
            self._answer(None)


async def _through(task: asyncio.Task[Frame]) -> None:
    """Wait for a task to its end, whatever is cancelled meanwhile; its failure is kept in it."""
    while not task.done():
        with suppress(asyncio.CancelledError, SandboxError):
            await asyncio.shield(task)
    if not task.cancelled():
        task.exception()
