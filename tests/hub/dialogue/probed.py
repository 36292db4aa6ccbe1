"""Sums whose grader can be made unfit, to show that validation finds it."""

from __future__ import annotations

from collections.abc import Mapping

from hub.dialogue import Agent, DialogueEnv, Grade, Script, Submission, Task, act, answering
from hub.errors import TaskError
from hub.trajectory import Outcome
from tests.hub.dialogue.toy import SumsDomain


class ProbedDomain(SumsDomain):
    """`fault`: `none`, `flaky` (every second gold answer is wrong), `lenient` (any answer is
    right), `harsh` (none is), `down` (nothing can be graded) or `unsolved` (the first task is)."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        self.graded = 0

    def grade(self, task: Task, submission: Submission) -> Grade:
        self.graded += 1
        if self.fault == "down":
            return Grade(None, outcome=Outcome.INFRA_ERROR, reason="no machine")
        if self.fault == "lenient" and submission["answer"] is not None:
            return Grade(1.0, reason="any answer will do")
        if self.fault == "harsh" or (self.fault == "flaky" and self.graded % 2):
            return Grade(0.0, reason="unlucky")
        return super().grade(task, submission)

    def oracle(self, task: Task) -> Agent:
        if self.fault == "unsolved" and task.id == "0+0":
            raise TaskError(f"task {task.id}: no solution")

        def agent() -> Script:
            a, b = task.id.split("+")
            read = yield act("add", a=int(a), b=int(b))
            yield act("finish", answer=read)

        return agent

    def cheats(self, task: Task) -> Mapping[str, Agent]:
        return {"constant": answering("99"), "says nothing more": lambda: iter_text("no call")}


def iter_text(text: str) -> Script:
    yield act("add", a=1, b=1)
    yield text


class Probed(DialogueEnv):
    """Sums that may be unfit."""

    def __init__(
        self, *, fault: str = "none", parser: str = "hermes", render_mode: str | None = None
    ) -> None:
        super().__init__(
            ProbedDomain(fault), parser=parser, budget={"turns": 4}, render_mode=render_mode
        )
