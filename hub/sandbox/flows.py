"""Every operation of a sandbox as a generator of requests; the two clients only move bytes.

A flow yields a `Request` and is sent the helper's reply, so that the synchronous and the asyncio
client share all of what follows.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from hub.arguments import whole
from hub.errors import SandboxError, SandboxFileError
from hub.sandbox import checks, frames, sessions
from hub.sandbox.frames import Done, Frame, Kind
from hub.sandbox.sessions import Session
from hub.sandbox.types import MIB, ExecResult, Limits

T = TypeVar("T")

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# How long after a command's own timeout the helper may take to end its tree and answer.
GRACE = 10.0
# How long a start may take on a busy machine.
START_TIMEOUT = 60.0
_CHUNK = 4 * MIB
_ERROR = int(Kind.ERROR)
# SIGKILL, of a program and as a shell reports it.
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
_PROBES = (sessions.BASH.argv[0], sessions.SH.argv[0])


class Request(NamedTuple):
    """A frame to send, its sequence number, and the seconds within which its reply must come.

    `brief` says that the reply may come so soon that it is not worth while to do anything else.
    """

    data: bytes
    seq: int
    within: float
    brief: bool = False


Flow: TypeAlias = Generator[Request, Frame, T]


class Marks(NamedTuple):
    """What holds for every command of a sandbox: where it starts, and what its result carries."""

    workspace: str
    network: bool
    unsafe: bool
    oom_kills: Callable[[], int]


def environment(extra: Mapping[str, str], workspace: str) -> list[bytes]:
    """Return the environment of commands: a fixed one and what the caller added."""
    base = {
        "PATH": PATH,
        "HOME": workspace,
        "USER": "sandbox",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PAGER": "cat",
        "TZ": "UTC",
    }
    merged = {**base, **checks.env(extra)}
    return [os.fsencode(f"{name}={value}") for name, value in merged.items()]


class Flows:
    """The operations of one sandbox, and what must be remembered between them."""

    def __init__(self, limits: Limits, env: Mapping[str, str], marks: Marks) -> None:
        self._limits = limits
        self._env = environment(env, marks.workspace)
        self._marks = marks
        self._seq = 0
        self._shell = sessions.BASH
        self._open: set[int] = set()
        self._oom_kills = 0

    def _request(self, kind: Kind, *fields: bytes, within: float = GRACE) -> Request:
        self._seq = self._seq % 0x7FFFFFFF + 1
        return Request(frames.frame(kind, self._seq, *fields), self._seq, within)

    def configure(self, rlimits: Mapping[int, int]) -> Flow[None]:
        """The first exchange: hand over settings, learn what the image has."""
        limits = self._limits
        pairs = [frames.u32(number) + frames.u64(value) for number, value in rlimits.items()]
        reply = yield self._request(
            Kind.CONFIG,
            frames.u32(frames.VERSION),
            frames.u64(int(limits.lifetime * 1000)),
            frames.u32(limits.output),
            frames.u64(limits.flood),
            frames.string(os.fsencode(self._marks.workspace)),
            frames.strings(self._env),
            frames.u32(len(pairs)),
            b"".join(pairs),
            frames.strings(probe.encode() for probe in _PROBES),
            within=START_TIMEOUT,
        )
        _, _, (bash, sh) = frames.parse_ready(_checked(reply))
        if not bash and not sh:
            raise SandboxError("the image has neither /bin/bash nor /bin/sh")
        self._shell = sessions.BASH if bash else sessions.SH

    def lifetime(self, seconds: float) -> bytes:
        """Return the frame that sets the time left; it has no reply."""
        return self._request(Kind.LIFETIME, frames.u64(int(seconds * 1000))).data

    def exec(
        self,
        command: str | Sequence[str],
        timeout: float | None,
        cwd: str | None,
        env: Mapping[str, str] | None,
        stdin: bytes,
    ) -> Flow[ExecResult]:
        """Run one program to its end; a string goes through the shell program, afresh."""
        given = checks.command(command)
        argv = [self._shell.argv[0], "-c", given] if isinstance(given, str) else given
        seconds = self._seconds(timeout)
        added = [os.fsencode(f"{name}={value}") for name, value in checks.env(env).items()]
        reply = yield self._request(
            Kind.EXEC,
            frames.u64(int(seconds * 1000)),
            frames.string(os.fsencode("" if cwd is None else checks.path("cwd", cwd))),
            frames.strings(map(os.fsencode, argv)),
            frames.strings([*self._env, *added] if added else []),
            frames.string(checks.raw("stdin", stdin)),
            within=seconds + GRACE,
        )
        done = frames.parse_done(_checked(reply))
        if isinstance(command, str) and done.err.startswith(f"hub: {argv[0]}: ".encode()):
            raise self._destroyed()
        return self._result(done, "")

    def shell(self, command: str, timeout: float | None) -> Flow[ExecResult]:
        """Run a command in the persistent shell."""
        return self._run(self._shell, "command", command, timeout)

    def python(self, code: str, timeout: float | None) -> Flow[ExecResult]:
        """Run a cell in the persistent Python."""
        return self._run(sessions.PYTHON, "code", code, timeout)

    def _run(
        self, session: Session, name: str, text: str, timeout: float | None
    ) -> Flow[ExecResult]:
        checks.string(name, text)
        seconds = self._seconds(timeout)
        notice = ""
        for _ in range(2):
            prelude = b""
            fresh = session.slot not in self._open
            if fresh:
                yield from self._start(session)
                prelude = session.prelude
            self._seq = seq = self._seq % 0x7FFFFFFF + 1
            line = prelude + session.encode(seq, text)
            data = frames.run_frame(seq, session.slot, int(seconds * 1000), line)
            reply = yield Request(data, seq, seconds + GRACE, not fresh)
            if reply.kind != _ERROR:
                break
            code, how = frames.parse_error(reply.payload)
            if code != errno.ESRCH:
                break
            self._open.discard(session.slot)
            notice = self._restarted(session, how)
        done = frames.parse_done(_checked(reply))
        if done.flags & frames.SESSION_LOST:
            self._open.discard(session.slot)
            if fresh and session is self._shell and done.err.startswith(b"hub: "):
                raise self._destroyed()
            notice = self._restarted(session, f"ended ({_status(done)})")
        return self._result(done, notice)

    def _start(self, session: Session) -> Flow[None]:
        reply = yield self._request(
            Kind.OPEN,
            frames.u32(session.slot),
            frames.u32(session.interrupt),
            frames.u32(session.control),
            frames.u32(session.status),
            frames.string(b""),
            frames.strings(word.encode() for word in session.argv),
        )
        _checked(reply)
        self._open.add(session.slot)

    def read(self, path: str, limit: int) -> Flow[bytes]:
        """Read a whole regular file of at most `limit` bytes."""
        path, limit = checks.path("path", path), whole("limit", limit)
        parts: list[bytes] = []
        length = 0
        while True:
            reply = yield self._request(
                Kind.READ,
                frames.string(os.fsencode(path)),
                frames.u64(length),
                frames.u32(min(_CHUNK, limit + 1)),
            )
            size, _, part = frames.parse_read(_checked(reply, path))
            if max(size, length + len(part)) > limit:
                raise SandboxFileError(
                    errno.EFBIG,
                    f"the file has {size} bytes, the limit of this read is {limit}",
                    path,
                )
            parts.append(part)
            length += len(part)
            if not part or length >= size:
                return b"".join(parts)

    def write(self, path: str, data: bytes | str) -> Flow[None]:
        """Write a whole file (a text as UTF-8), making its parent directories."""
        path = checks.path("path", path)
        if isinstance(data, str):
            data = checks.string("data", data).encode("utf-8", "surrogateescape")
        data = checks.raw("data", data)
        for start in range(0, len(data) or 1, _CHUNK):
            reply = yield self._request(
                Kind.WRITE,
                frames.string(os.fsencode(path)),
                frames.u64(start),
                frames.string(data[start : start + _CHUNK]),
            )
            _checked(reply, path)

    def _destroyed(self) -> SandboxError:
        """The shell was there at the start: only the agent can have removed or broken it."""
        what = f"{self._shell.argv[0]} cannot run any more: the sandbox was destroyed from inside"
        return SandboxError(what, "agent")

    def _restarted(self, session: Session, how: str) -> str:
        place = f"a new one takes its place in {self._marks.workspace}"
        return f"The {session.name} {how}; {place}: {session.lost} are lost."

    def _seconds(self, timeout: float | None) -> float:
        return self._limits.timeout if timeout is None else checks.seconds("timeout", timeout)

    def _result(self, done: Done, notice: str) -> ExecResult:
        code, flags, nanoseconds, out_total, out, err_total, err = done
        _, network, unsafe, _ = self._marks
        truncated = out_total > len(out) or err_total > len(err)
        if truncated:
            half = self._limits.output // 2
            out, err = _joined(out_total, out, half), _joined(err_total, err, half)
        if flags & frames.FLOODED:
            truncated = True
            notice = f"killed: more than {self._limits.flood} bytes of output. {notice}".strip()
        # Otherwise it was us who killed. A session that is lost was itself the one too large.
        if code in _KILLED and not flags & ~frames.SESSION_LOST:
            notice = f"{self._out_of_memory()} {notice}".strip()
        return ExecResult(
            code if code >= 0 else 128 - code,
            out,
            err,
            bool(flags & frames.TIMED_OUT),
            truncated,
            nanoseconds * 1e-9,
            notice,
            network,
            unsafe,
        )

    def _out_of_memory(self) -> str:
        """Say so if the kernel killed for want of memory since the last time."""
        kills = self._marks.oom_kills()
        seen, self._oom_kills = self._oom_kills, kills
        return f"Out of memory: the limit is {self._limits.memory} bytes." if kills > seen else ""


def _joined(total: int, kept: bytes, half: int) -> bytes:
    left_out = total - len(kept)
    if left_out <= 0:
        return kept
    line = f"\n[... {left_out} bytes left out ...]\n".encode()
    return kept[:half] + line + kept[half:]


def _status(done: Done) -> str:
    return f"exit status {done.code}" if done.code >= 0 else f"signal {-done.code}"


def _checked(reply: Frame, path: str | None = None) -> bytes:
    """Return the payload of a reply, or raise what it reports."""
    if reply.kind != _ERROR:
        return reply.payload
    code, message = frames.parse_error(reply.payload)
    if path is not None:
        if code == errno.EOPNOTSUPP:
            message = "not a regular file (device, pipe, socket, or one of the kernel's)"
        raise SandboxFileError(code, message, path)
    raise SandboxError(f"the sandbox refuses: {message} ({os.strerror(code)})")
