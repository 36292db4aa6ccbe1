"""Grades a program: its answers come from a fresh sandbox, the verdict from outside it."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hub.dialogue import Grade, SandboxOptions, Task
from hub.errors import SandboxError, TaskError
from hub.sandbox import Limits, Sandbox, create
from hub.sandbox.images import HOST
from hub.sandbox.types import MIB
from hub.trajectory import Outcome
from hub_agents.code import driver
from hub_agents.code.asserts import JUDGE, RECORD
from hub_agents.code.compare import same, same_text, value_of
from hub_agents.host import hidden

SECONDS = 10.0  # of one case, where the task names no other time
TOTAL = 60.0  # seconds of all cases together, unless one alone may take longer
LIFE = 180.0  # of a sandbox: all cases, or the tests, and what starting and ending takes
# They come from outside, too.
KILLS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM)
_DRIVER = Path(driver.__file__).read_text(encoding="utf-8")


class NoReport(Exception):
    """What was run did not come to its own end: the program ended it, or the machine did."""


class Grader:
    """Runs programs for tasks of the kinds `function`, `stdio` and `asserts`.

    Args:
        options: How sandboxes are made; their network is always off.
    """

    def __init__(self, options: SandboxOptions) -> None:
        self._options = options
        self._recorded: dict[str, list[Any]] = {}

    def grade(self, task: Task, program: str) -> Grade:
        """Grade; 1.0 when every test passes.

        What is killed may have been killed by anything, so the program is graded once more. One
        that ends its driver or its sandbox then, too, is the agent's failure when the task's own
        solution runs cleanly right after it, and ours otherwise.
        """
        for again in (False, True):
            try:
                return self._judged(task, program, again)
            except (NoReport, SandboxError) as error:
                if isinstance(error, SandboxError) and error.attribution == "infra":
                    raise
                what = str(error)
        return self._blamed(task, what)

    def _blamed(self, task: Task, what: str) -> Grade:
        solution = str(task.data.get("solution", ""))
        try:
            clean = self._judged(task, solution).reward == 1.0 if solution else self._empty(task)
        except (NoReport, SandboxError) as error:
            clean, what = False, f"{what}; the control failed too: {error}"
        outcome = Outcome.AGENT_ERROR if clean else Outcome.INFRA_ERROR
        return Grade(None, outcome=outcome, reason=f"the program broke its run: {what}")

    def _empty(self, task: Task) -> bool:
        return self._judged(task, "").reward == 0.0

    def _judged(self, task: Task, program: str, again: bool = True) -> Grade:
        """Grade; only where it is done `again` is a case that was killed the program's doing."""
        data = task.data
        program = str(data.get("preamble", "")) + program
        if data["kind"] == "asserts":
            return self._by_tests(task, program, again)
        stdio = data["kind"] == "stdio"
        cases = [case["stdin"] if stdio else {"args": case["args"]} for case in data["cases"]]
        report = self._answers(data, cases, program, again)
        whys = []
        for case, answer in zip(data["cases"], report, strict=False):
            whys.append(_stdio(case, answer) if stdio else _call(case, answer))
        passed = sum(not why for why in whys)
        why = next((why for why in whys if why), "")
        return _grade(passed, len(cases), why)

    def _by_tests(self, task: Task, program: str, again: bool) -> Grade:
        calls = self._calls(task)
        report = self._answers(task.data, [{"args": call} for call in calls], program, again)
        answers = [value_of(answer) for answer in report]
        answers += [{"failed": "was not run"}] * (len(calls) - len(answers))
        verdict = self._trusted(JUDGE, {**_tests(task), "calls": calls, "answers": answers})
        if verdict is None:
            return _grade(0, len(calls), "the tests do not end on these answers")
        failed = str(verdict["failed"])
        return _grade(int(verdict["passed"]) - bool(failed), len(calls), failed)

    def _calls(self, task: Task) -> list[Any]:
        known = self._recorded.get(task.id)
        if known is not None:
            return known
        found = self._trusted(RECORD, _tests(task))
        if found is None or found["failed"] or not found["calls"]:
            why = "they do not end" if found is None else found["failed"] or "they call nothing"
            raise TaskError(f"task {task.id}: its tests fail on its own solution: {why}")
        calls: list[Any] = self._recorded.setdefault(task.id, found["calls"])
        return calls

    def _trusted(self, script: str, job: Mapping[str, Any]) -> dict[str, Any] | None:
        """Run a script that loads nothing of the program's; None when it ends without a verdict.

        Raises:
            NoReport: It was killed.
        """
        with self._sandbox() as sandbox:
            done = sandbox.exec(
                ["python3", "-c", script],
                stdin=json.dumps(job).encode(),
                timeout=60.0,
                env={"PYTHONHASHSEED": "0"},
            )
        if not done.timed_out and done.exit_code - 128 in KILLS:
            raise NoReport(f"the tests were killed (exit status {done.exit_code})")
        if done.exit_code or done.timed_out:
            return None
        verdict: dict[str, Any] = json.loads(done.stdout)
        return verdict

    def _answers(
        self, data: Mapping[str, Any], cases: Sequence[Any], program: str, again: bool
    ) -> list[dict[str, Any]]:
        """Return what the program answers to each case, in a fresh sandbox.

        Raises:
            NoReport: There is none, or, unless this is done `again`, a case was killed.
            SandboxError: The sandbox failed; `attribution` says whose doing it was.
        """
        seconds = float(data.get("seconds", SECONDS))
        job = {
            "kind": data["kind"],
            "program": program,
            "entry": data.get("entry", ""),
            "cases": cases,
            "seconds": seconds,
            "total": max(TOTAL, seconds),
        }
        with self._sandbox() as sandbox:
            sandbox.write("/tmp/driver.py", _DRIVER)
            done = sandbox.exec(
                ["python3", "-P", "/tmp/driver.py"],
                stdin=json.dumps(job).encode(),
                timeout=job["total"] + 30.0,
            )
        report: Any
        try:
            report = json.loads(done.stdout) if not done.exit_code else None
        except (ValueError, RecursionError):
            report = None
        if not _is_report(report):
            raise NoReport(f"no report (exit status {done.exit_code})")
        answers: list[dict[str, Any]] = report
        for number, answer in enumerate(answers, 1):
            if not again and -answer.get("status", 0) in KILLS:
                raise NoReport(f"case {number} was killed (status {answer['status']})")
        return answers

    def _sandbox(self) -> Sandbox:
        given = {"memory": 1024 * MIB, "output": 16 * MIB, **self._options.limits}
        limits = Limits(**{**given, "lifetime": LIFE})
        return create(provider=self._options.provider, limits=limits, mounts=hidden(HOST))


def _tests(task: Task) -> dict[str, Any]:
    reference = str(task.data.get("preamble", "")) + str(task.data["solution"])
    return {"reference": reference, "test": task.data["test"], "entry": task.data["entry"]}


def _is_report(report: Any) -> bool:
    return isinstance(report, list) and all(
        isinstance(answer, dict)
        and (
            isinstance(answer.get("failed"), str)
            or (isinstance(answer.get("answer"), str) and isinstance(answer.get("status"), int))
        )
        for answer in report
    )


def _call(case: Mapping[str, Any], answer: dict[str, Any]) -> str:
    """Return why a call failed, or an empty text."""
    found = value_of(answer)
    if "failed" in found:
        return f"the program {found['failed']}"
    return "" if same(case["expected"], found["value"]) else "a wrong answer"


def _stdio(case: Mapping[str, Any], answer: dict[str, Any]) -> str:
    if "failed" in answer:
        return f"the program {answer['failed']}"
    if answer["status"]:
        return f"the program ended with status {answer['status']}"
    return "" if same_text(case["stdout"], answer["answer"]) else "a wrong output"


def _grade(passed: int, total: int, why: str) -> Grade:
    right = passed == total and not why
    parts = {"right": float(right), "passed": max(passed, 0) / total}
    return Grade(
        float(right), parts, reason=f"{max(passed, 0)} of {total} tests passed. {why}".strip()
    )
