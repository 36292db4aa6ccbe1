"""`Sandbox`: the synchronous client."""

from __future__ import annotations

import os
import select
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from hub.errors import ClosedError, SandboxError
from hub.sandbox import frames
from hub.sandbox.flows import GRACE, Flow, Flows, Marks, Request
from hub.sandbox.frames import Frame, Kind
from hub.sandbox.process import Container, Order
from hub.sandbox.types import MIB, Applied, ExecResult

T = TypeVar("T")

READ_LIMIT = 64 * MIB
PIECE = 1 << 16  # bytes taken from a pipe at once: as many as it holds


def flows_for(container: Container) -> Flows:
    """Return the operations of a sandbox."""
    order = container.order
    unsafe = not order.provider.features.isolated
    network = order.network or unsafe
    marks = Marks(container.workspace, network, unsafe, container.oom_kills)
    return Flows(order.limits, {**container.image.env, **order.env}, marks)


class Sandbox:
    """One running sandbox; make it with `hub.sandbox.create`. A context manager.

    One command runs at a time: a call from another thread waits for its turn.

    Attributes:
        id: Its name on this machine.
        provider: Name of what runs it.
        image: Name of its image.
        network: Whether it has network access.
        limits: Limit -> how this machine enforces it (`Applied`), `"not limited"` included.
    """

    def __init__(self, order: Order) -> None:
        self._container = Container(order)
        self._finalizer = finalizer(self, self._container)
        self._flows = flows_for(self._container)
        self._lock = threading.Lock()
        self._buffer = frames.Buffer()
        self._poll = select.poll()
        self._poll.register(self._container.stdout, select.POLLIN)
        self._failure: SandboxError | None = None
        self._closed = False
        self._runner: int | None = None  # the thread whose command runs
        self.id = self._container.id
        self.provider = order.provider.name
        self.image = order.image
        self.network = order.network
        self.limits: Mapping[str, Applied] = self._container.applied
        try:
            self._run(self._flows.configure(self._container.rlimits))
            self._container.confine()
        except BaseException:
            self.close()
            raise

    def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> ExecResult:
        """Run a program in a process of its own, until it ends.

        Args:
            command: An argv, or a string for the shell program (a fresh one: no state is kept).
            timeout: Seconds; then it is killed with everything that it started. Default:
                `Limits.timeout`.
            cwd: Working directory; default `/workspace`.
            env: Variables besides the sandbox's own.
            stdin: What it reads from its standard input.

        Returns:
            Its result; a program that is not there has exit code 127.

        Raises:
            TypeError, ValueError: An argument is of another kind or cannot be; nothing ran.
            SandboxError: The sandbox itself failed; `attribution` says whose doing it was.
            ClosedError: After `close`.
        """
        return self._run(self._flows.exec(command, timeout, cwd, env, stdin))

    def shell(self, command: str, *, timeout: float | None = None) -> ExecResult:
        """Run a command in the sandbox's one shell, which keeps directory, variables and jobs.

        A shell that ends (`exit`, a timeout that it does not survive) is replaced by a new one,
        and the result's `notice` says so. Arguments, result and errors otherwise as for `exec`.
        """
        return self._run(self._flows.shell(command, timeout))

    def python(self, code: str, *, timeout: float | None = None) -> ExecResult:
        """Run code in the sandbox's one Python, which keeps its variables.

        The value of a last expression is printed; an exception leaves its traceback on standard
        error and exit code 1. IPython where the image has it. Otherwise as for `shell`.
        """
        return self._run(self._flows.python(code, timeout))

    def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes:
        """Return the content of a regular file; a relative path is one below `/workspace`.

        Raises:
            SandboxFileError: It is absent, no regular file, or longer than `limit` bytes.
        """
        return self._run(self._flows.read(path, limit))

    def write(self, path: str, data: bytes | str) -> None:
        """Write a regular file (text as UTF-8), making its parent directories.

        Raises:
            SandboxFileError: It cannot be written.
        """
        self._run(self._flows.write(path, data))

    def close(self) -> None:
        """End every process of the sandbox and remove what it left; safe to call again.

        From any thread: a command that runs in another one ends there with `ClosedError`.
        """
        self._closed = True
        self._let_go()
        self._finalizer()

    def _let_go(self) -> None:
        """Have a command in another thread leave the pipes before their numbers can be reused."""
        busy = self._runner not in (None, threading.get_ident())
        if busy and self._container.owned() and self._container.order.provider.features.isolated:
            self._container.kill()
            if self._lock.acquire(timeout=GRACE):
                self._lock.release()

    def alive(self) -> bool:
        """Tell whether the sandbox still runs, without running anything in it."""
        return not self._closed and self._failure is None and self._container.running()

    def kill(self) -> None:
        """Kill the container as a failing machine would: what is left is found out by a call."""
        self._container.kill()

    def release(self) -> tuple[Container, Flows]:
        """Give up the container to another client; this object is closed afterwards."""
        with self._lock:
            if self._closed:
                raise ClosedError("the sandbox is closed; create another one")
            self._closed = True
            self._finalizer.detach()
            return self._container, self._flows

    def renew(self, seconds: float) -> None:
        """Give the sandbox `seconds` to live from now on."""
        with self._lock:
            self._container.lifetime = seconds
            self._send(self._flows.lifetime(seconds))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- moving bytes ----

    def _run(self, flow: Flow[T]) -> T:
        with self._lock:
            self._container.check_process()
            if self._closed:
                raise ClosedError("the sandbox is closed; create another one")
            if self._failure is not None:
                raise SandboxError(str(self._failure), self._failure.attribution)
            self._runner = threading.get_ident()
            try:
                return self._played(flow)
            except OSError as error:
                if self._closed:  # its pipes were
                    raise _closed_meanwhile() from error
                raise
            finally:
                self._runner = None

    def _played(self, flow: Flow[T]) -> T:
        try:
            request = next(flow)
            while True:
                request = flow.send(self._exchange(request))
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _exchange(self, request: Request) -> Frame:
        self._send(request.data)
        try:
            return self._receive(request.seq, request.within)
        except (SandboxError, ClosedError):
            raise
        except BaseException:
            # Ctrl-C, or whatever a signal handler raises: the command must not outlive the
            # caller's interest, nor answer the next request.
            self._send(frames.frame(Kind.CANCEL, request.seq))
            self._receive(request.seq, GRACE)
            raise

    def _send(self, data: bytes) -> None:
        try:
            written = os.write(self._container.stdin, data)
            while written < len(data):
                written += os.write(self._container.stdin, memoryview(data)[written:])
        except BrokenPipeError:
            self._fail()

    def _receive(self, seq: int, within: float) -> Frame:
        deadline = time.monotonic() + within
        while True:
            frame = self._buffer.next()
            if frame is not None and frame.seq == seq:
                return frame
            if frame is not None:
                continue
            left = deadline - time.monotonic()
            data = b""
            if left > 0 and self._poll.poll(left * 1000):
                data = os.read(self._container.stdout, PIECE)
            if not data:
                self._fail()
            self._buffer.feed(data)

    def _fail(self) -> None:
        if self._closed:
            raise _closed_meanwhile()
        self._failure = self._container.why()
        raise self._failure


def _closed_meanwhile() -> ClosedError:
    return ClosedError("the sandbox was closed while a command ran")


def finalizer(sandbox: object, container: Container) -> weakref.finalize[Any, Any]:
    """Return what ends `container`; it also runs when `sandbox` is forgotten or Python ends."""
    return weakref.finalize(sandbox, _end_in, os.getpid(), container)


def _end_in(owner: int, container: Container) -> None:
    """End the container, unless this is a child that was forked from its owner."""
    if os.getpid() != owner:
        return
    try:
        container.end()
    except BaseException:  # Ctrl-C: nobody comes back to what it left half done
        container.end()
        raise
