"""Final answers: what a model's last words state, and the domain of tasks that end with one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hub.dialogue import Grade, Submission, Task, TaskSource, Tool
from hub.trajectory import Outcome

if TYPE_CHECKING:
    from hub.sandbox import Sandbox

LONGEST = 1000  # code points of an answer; a longer one is none
_BOX = "\\boxed{"


class AnswerError(ValueError):
    """A text states no single answer; the message says why."""


def stated(text: str | None) -> str:
    r"""Return the one answer that `text` states.

    It is what stands in `\boxed{...}`, or the whole text where there is no box. Boxes that differ
    are no answer: a list of guesses must not be searched for the right one.

    Raises:
        AnswerError: There is none, more than one, or it is longer than `LONGEST`.
    """
    if text is None or not text.strip():
        raise AnswerError("no answer")
    found = {box.strip() for box in _boxes(text)}
    if len(found) > 1:
        raise AnswerError(f"{len(found)} different boxed answers")
    answer = found.pop() if found else text.strip()
    if not answer:
        raise AnswerError("no answer")
    if len(answer) > LONGEST:
        raise AnswerError(f"an answer of {len(answer)} characters; at most {LONGEST} are read")
    return answer


def _boxes(text: str) -> list[str]:
    """Return the content of every complete outermost box, in one pass over `text`."""
    found: list[str] = []
    at = text.find(_BOX)
    while at >= 0:
        begin = position = at + len(_BOX)
        depth = 1
        while depth and position < len(text):
            depth += {"{": 1, "}": -1}.get(text[position], 0)
            position += 1
        if depth:  # never closed: what follows belongs to no box either
            return found
        found.append(text[begin : position - 1])
        at = text.find(_BOX, position)
    return found


class AnswerDomain(ABC):
    """What domains share whose tasks end with an answer: `python` to compute, `finish` to answer.

    The last message, or `finish`'s argument, is the submission; a sandbox is started only when
    the model computes something.
    """

    name = "answers"
    tools: Sequence[str | Tool] = ("python", "finish")
    failure_reward = 0.0
    text_ends = True
    asks = ""

    def __init__(self, source: TaskSource) -> None:
        self.source = source

    def system(self, task: Task) -> str:
        """Return the system prompt."""
        return (
            f"{self.asks} You may compute with the python tool. Give the final answer once, in "
            "\\boxed{...} in a message without a tool call, or as the argument of finish."
        )

    def image(self, task: Task) -> str:
        """Return the sandbox image: the host's own programs."""
        return "host"

    def prepare(self, task: Task, sandbox: Sandbox) -> None:  # noqa: B027  # nothing is the rule
        """Put nothing into the sandbox: all that the model may know is in the prompt."""

    def collect(self, task: Task, answer: str | None, sandbox: Sandbox | None) -> Submission:
        """Return the answer's text."""
        return {"answer": answer}

    def grade(self, task: Task, submission: Submission) -> Grade:
        """Grade the stated answer; none scores 0."""
        try:
            answer = stated(submission["answer"])
        except AnswerError as error:
            return Grade(0.0, {"right": 0.0, "stated": 0.0}, reason=str(error))
        return self.judge(task, answer)

    @abstractmethod
    def judge(self, task: Task, answer: str) -> Grade:
        """Grade one answer."""


def scored(right: bool, reason: str) -> Grade:
    """Return the grade of an answer that could be judged."""
    return Grade(float(right), {"right": float(right), "stated": 1.0}, Outcome.COMPLETED, reason)
