"""Processes that compare answers in killable forks, and whose fault it is when one is lost."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_agents.math.forms import explodes

CPU_SECONDS = 1.5  # that one check may use; with the controls and what killing takes, two seconds
WALL_SECONDS = 20.0  # after which a machine, not an answer, is at fault
PATIENCE = 2.0  # beyond that, for the process to report the fork that it ended
START_SECONDS = 120.0
WORKERS = max(2, min(4, os.cpu_count() or 1))
_SCRIPT = Path(__file__).with_name("worker.py")


class WorkerLost(Exception):
    """A check gave no verdict.

    Attributes:
        by_answer: It ran out of CPU time or memory, or crashed, while it had the machine; else the
            machine did not let it run.
    """

    def __init__(self, message: str, by_answer: bool) -> None:
        super().__init__(message)
        self.by_answer = by_answer


@dataclass(frozen=True)
class Verdict:
    """What became of one answer.

    Attributes:
        equal: Whether it is right; None where there is no verdict.
        by_answer: With None: the answer broke the checker, which works on the controls.
        reason: One sentence.
    """

    equal: bool | None
    by_answer: bool = False
    reason: str = ""


class Worker:
    """One process, which forks for each check; started at first use, and again after its loss."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[..., Worker] | None = None
        self._ready = False

    def check(self, gold: str, answer: str) -> bool:
        """Compare.

        Raises:
            WorkerLost: There is no verdict. The process itself is gone only where the machine
                ended it.
        """
        process = self._started()
        limits = {"cpu": CPU_SECONDS, "wall": WALL_SECONDS}
        request = json.dumps({"gold": gold, "answer": answer, **limits})
        assert process.stdin is not None
        try:
            process.stdin.write(request.encode() + b"\n")
            process.stdin.flush()
            reply = self._line(process, WALL_SECONDS + PATIENCE)
        except BrokenPipeError:
            reply = {}
        if "equal" in reply:
            return bool(reply["equal"])
        if "error" in reply:
            raise WorkerLost(str(reply["error"]), by_answer=True)
        if not reply:
            self.stop()
        status = reply.get("status", process.returncode)
        if status == -signal.SIGPROF:
            raise WorkerLost(f"it took {CPU_SECONDS} s of CPU time", by_answer=True)
        # It did not get to run: its time passed, or the host's memory killer or we ended it.
        starved = status in (-signal.SIGALRM, -signal.SIGKILL, -signal.SIGTERM)
        raise WorkerLost(f"the checker ended with status {status}", by_answer=not starved)

    def begin(self) -> None:
        """Start the process where there is none, without waiting until it is ready."""
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        self._ready = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._finalizer = weakref.finalize(self, _end, self._process, 0.0)

    def _started(self) -> subprocess.Popen[bytes]:
        self.begin()
        assert self._process is not None
        if not self._ready and not self._line(self._process, START_SECONDS):
            self.stop()
            raise WorkerLost("the checker does not start", by_answer=False)
        self._ready = True
        return self._process

    @staticmethod
    def _line(process: subprocess.Popen[bytes], within: float) -> dict[str, Any]:
        """Return the next reply, or an empty one when there is none in time."""
        assert process.stdout is not None
        data, end = b"", time.monotonic() + within
        poll = select.poll()
        poll.register(process.stdout, select.POLLIN)
        while not data.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                process.kill()
                return {}
            more = os.read(process.stdout.fileno(), 65536)
            if not more:
                return {}
            data += more
        reply: dict[str, Any] = json.loads(data)
        return reply

    def stop(self) -> None:
        """End the process, if there is one; one that died keeps its own status."""
        process, self._process = self._process, None
        if process is not None and self._finalizer is not None:
            self._finalizer.detach()
            _end(process, 1.0)


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Close the pipes of `process`, kill it if it is still there after `patience`, and reap it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):  # closing flushes, to one that may be gone
                pipe.close()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Checker:
    """Compares answers in up to `WORKERS` processes; from any thread."""

    def __init__(self, workers: int = WORKERS) -> None:
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()
        for _ in range(workers):
            self._idle.put(Worker())
        self._idle.queue[-1].begin()  # the first to be used

    def check(self, gold: str, answer: str) -> Verdict:
        """Compare; where there is no verdict, find out by controls whose fault that is.

        The answer is at fault only when it broke the check and right after that the gold answer
        is found right and an empty one wrong. One that computes numbers too large to write down,
        as the gold answer does not, is wrong without a check.
        """
        excess = explodes(answer)
        if excess and not explodes(gold):
            return Verdict(False, reason=f"wrong: it holds {excess}")
        worker = self._idle.get()
        try:
            return Verdict(worker.check(gold, answer))
        except WorkerLost as lost:
            return self._attributed(worker, gold, answer, lost)
        finally:
            self._idle.put(worker)

    def _attributed(self, worker: Worker, gold: str, answer: str, lost: WorkerLost) -> Verdict:
        clean = self._controls(worker, gold)
        if not lost.by_answer and clean:  # the machine's doing: once more
            try:
                return Verdict(worker.check(gold, answer))
            except WorkerLost as again:
                lost = again
        if lost.by_answer and clean:
            return Verdict(None, True, f"the answer breaks the checker: {lost}")
        what = "" if clean else "; it fails on the gold answer too"
        return Verdict(None, False, f"{lost}{what}")

    @staticmethod
    def _controls(worker: Worker, gold: str) -> bool:
        """Tell whether gold is right and empty wrong."""
        try:
            return worker.check(gold, gold) and not worker.check(gold, "")
        except WorkerLost:
            return False


_lock = threading.Lock()
_shared: tuple[int, Checker] | None = None


def shared() -> Checker:
    """Return this process's checker; a forked child gets its own, as pipes cannot be shared."""
    global _shared
    with _lock:
        if _shared is None or _shared[0] != os.getpid():
            _shared = (os.getpid(), Checker())
        return _shared[1]
