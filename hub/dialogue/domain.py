"""A domain: what makes one kind of task, apart from the conversation around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hub.dialogue.tasks import Task, TaskSource
from hub.dialogue.tools import Tool
from hub.trajectory import Outcome

if TYPE_CHECKING:
    from hub.sandbox import Mount, Sandbox

Submission = Mapping[str, Any]


@dataclass(frozen=True)
class Grade:
    """What a grader found.

    Attributes:
        reward: The grade where `outcome` is `COMPLETED`; otherwise it is not looked at.
        parts: What it is made of, for people and metrics.
        outcome: `COMPLETED`, or whose failure kept it from being graded.
        reason: One sentence for people; in records it is the `verdict`.
    """

    reward: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    outcome: Outcome = Outcome.COMPLETED
    reason: str = ""


class Domain(Protocol):
    """One kind of task (math, science, code, SWE).

    `collect` takes from the episode what is to be graded, as JSON values; `grade` needs nothing
    but that and the task. So a recorded episode can be graded again, by another grader too,
    without the model and without the episode's sandbox.

    Attributes:
        name: For records and errors.
        source: The tasks.
        tools: The tools that are offered: registered names, or tools.
        failure_reward: What an agent gets that broke its own sandbox.
        text_ends: A model turn without a tool call is the final answer and ends the episode;
            otherwise it is answered with a reminder.
    """

    name: str
    source: TaskSource
    tools: Sequence[str | Tool]
    failure_reward: float
    text_ends: bool

    def system(self, task: Task) -> str:
        """Return the system prompt, without the tools' syntax."""

    def image(self, task: Task) -> str:
        """Return the sandbox image of `task`."""

    def prepare(self, task: Task, sandbox: Sandbox) -> None:
        """Put into a new sandbox what the agent finds there."""

    def collect(self, task: Task, answer: str | None, sandbox: Sandbox | None) -> Submission:
        """Return what is to be graded; `sandbox` is the episode's, None if none was started."""

    def grade(self, task: Task, submission: Submission) -> Grade:
        """Grade; deterministic for equal arguments."""


@runtime_checkable
class Mounted(Protocol):
    """A domain whose sandboxes show, or hide, more than their image."""

    def mounts(self, task: Task) -> Sequence[Mount]:
        """Return what to mount in the sandbox of `task`, in this order."""
