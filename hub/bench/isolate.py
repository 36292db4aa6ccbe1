"""Runs measuring code in a process of its own; a crash becomes a row with an error.

One environment's libraries (thread pools, allocators, JAX) would disturb the next one's figures,
and a segmentation fault would end the whole run.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from typing import IO, Any

from hub.bench.plan import Plan
from hub.bench.row import Row


def isolated(plan: Plan, target: str, argument: Any, *, suite: str, env_id: str) -> Iterator[Row]:
    """Run `target` in a fresh process and yield its rows as they come.

    Args:
        plan: What to do; its `progress` hears what the process reports.
        target: `"module:function"`, a function `(plan, argument) -> Iterable[Row]`.
        argument: A JSON value.
        suite: Suite of the error row, should the process die or fall silent.
        env_id: Its id.

    Yields:
        The function's rows, then one with `error` set if it did not end well.
    """
    read, write = os.pipe()
    job = {"path": sys.path, "plan": plan.to_json(), "target": target, "argument": argument}
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-m", "hub.bench.worker", str(write)],
            stdin=subprocess.PIPE,
            stdout=noise,
            stderr=noise,
            pass_fds=(write,),
            start_new_session=True,
        )
        os.close(write)
        try:
            _hand_over(process, json.dumps(job))
            problem = yield from _receive(read, plan)
            if not problem and process.wait() != 0:
                problem = _death(process.returncode, noise)
        finally:
            os.close(read)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if problem:
            yield Row(suite, env_id, "process", "", error=problem)


def _hand_over(process: subprocess.Popen[bytes], job: str) -> None:
    if process.stdin is not None:
        # A process that dies at once breaks the pipe; its exit status tells why.
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(job.encode())


def _receive(source: int, plan: Plan) -> Generator[Row, None, str]:
    """Yield the rows that arrive on `source`; return what went wrong, or an empty string."""
    problem, pending = "", b""
    while select.select([source], [], [], plan.timeout)[0]:
        data = os.read(source, 1 << 16)
        if not data:
            return problem
        *lines, pending = (pending + data).split(b"\n")
        for message in map(json.loads, lines):
            if "row" in message:
                yield Row.from_json(message["row"])
            elif "progress" in message:
                plan.progress(*message["progress"])
            else:
                problem = message["error"]
    return f"no sign of life for {plan.timeout:g} s; the process was stopped"


def _death(code: int, noise: IO[bytes]) -> str:
    how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
    noise.seek(0)
    lines = noise.read().decode(errors="replace").strip().splitlines()
    return f"the measuring process died ({how})" + (f": {lines[-1]}" if lines else "")
