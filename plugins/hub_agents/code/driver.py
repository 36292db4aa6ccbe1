"""Runs a program inside a sandbox, a fresh process for each case; knows no expected answer.

This file is written into the sandbox and needs the standard library alone. It reads one JSON job
from standard input and writes one JSON report. What it reports are the program's answers: a
program that forges them still has to forge the right ones, which are not in the sandbox.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

LONGEST = 64 * 1024  # bytes of one answer

# The process of one call: what the program prints goes to standard error, its answer to a pipe.
CALLER = r"""
import json, os, sys

def decode(value):
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        (kind, items), = value.items()
        if kind == "int":
            return int(items, 16)
        if kind == "dict":
            return {decode(key): decode(item) for key, item in items}
        return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](map(decode, items))
    return value

def encode(value):
    # Python refuses to write more than 4300 decimal digits; hexadecimal ones have no limit.
    if type(value) is int and value.bit_length() > 14000:
        return {"int": hex(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [encode(item) for item in value]
    if type(value) is dict:
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if type(value) in (tuple, set, frozenset):
        return {type(value).__name__: [encode(item) for item in value]}
    return {"other": repr(value)[:200]}

def function(program, entry):
    space = {"__name__": "solution"}
    exec(compile(program, "solution.py", "exec"), space)
    if entry not in space and "Solution" in space:
        return getattr(space["Solution"](), entry)
    return space[entry]
"""
ONE_CALL = (
    CALLER
    + """
job = json.load(sys.stdin)
answer = os.dup(1)
os.dup2(2, 1)
result = function(job["program"], job["entry"])(*decode(job["args"]))
os.write(answer, json.dumps(encode(result)).encode())
"""
)


# Most programs that fail, fail so: told once, before a process for each case.
NOT_PYTHON = 3  # 1 is what an interrupt leaves that comes before Python can tell of it
COMPILES = f"""try:
    compile(open('solution.py', encoding='utf-8').read(), 'solution.py', 'exec')
except Exception:
    raise SystemExit({NOT_PYTHON})
"""


def one(argv: list[str], given: str, seconds: float) -> dict[str, Any]:
    """Run one process; its answer, capped, or what became of it."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(given.encode())
        stdin.seek(0)
        process = subprocess.Popen(
            argv, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        size = stdout.seek(0, 2)
        stdout.seek(0)
        text = stdout.read(LONGEST).decode("utf-8", "replace")
    if status is None:
        return {"failed": f"took longer than {seconds:g} s"}
    if size > LONGEST:
        return {"failed": f"put out {size} bytes; at most {LONGEST} are read"}
    return {"answer": text, "status": status}


def main() -> None:
    """Run the job's cases; after one that took too long the others are not run.

    Nor are they once all together took as long as the job's `total`, in seconds.
    """
    job = json.load(sys.stdin)
    end = time.monotonic() + job["total"]
    with open("solution.py", "w", encoding="utf-8") as file:  # noqa: PTH123  # alone in a sandbox
        file.write(job["program"])
    report: list[dict[str, Any]] = []
    status = subprocess.run([sys.executable, "-c", COMPILES], stderr=subprocess.DEVNULL).returncode
    if status:
        killed = {"answer": "", "status": min(status, -signal.SIGINT)}
        report.append({"failed": "is not valid Python"} if status == NOT_PYTHON else killed)
        job["cases"] = []
    for case in job["cases"]:
        if job["kind"] == "stdio":
            argv, given = [sys.executable, "solution.py"], case
        else:
            argv = [sys.executable, "-c", ONE_CALL]
            given = json.dumps({**case, "program": job["program"], "entry": job["entry"]})
        left = end - time.monotonic()
        report.append(one(argv, given, min(job["seconds"], max(left, 0.001))))
        if left < job["seconds"] and "longer" in report[-1].get("failed", ""):
            report[-1] = {"failed": f"took longer than {job['total']:g} s for all cases together"}
        if "longer" in report[-1].get("failed", ""):
            break
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
