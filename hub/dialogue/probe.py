"""Scripted agents that show whether a task can be trusted: oracle, null and cheats."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol, runtime_checkable

from hub.dialogue.tasks import Task
from hub.trajectory import ToolCall

# Yields what it does; is sent what it reads next.
Script = Generator[ToolCall | str, str, None]
Agent = Callable[[], Script]


@runtime_checkable
class Probed(Protocol):
    """A domain whose tasks can be validated."""

    def oracle(self, task: Task) -> Agent:
        """Return the agent that solves `task`; it must score 1."""

    def cheats(self, task: Task) -> Mapping[str, Agent]:
        """Return agents by name that know the grader but not the task; none may score.

        Among them belong constant answers, reading the grader's files and exiting early. A
        constant that happens to be right for `task` is no cheat and is left out.
        """


def act(name: str, **arguments: Any) -> ToolCall:
    """Return a call of tool `name`."""
    return ToolCall(name, arguments)


def answering(answer: str | None) -> Agent:
    """Return the agent that hands in `answer` at once; None hands in nothing."""

    def agent() -> Script:
        yield act("finish") if answer is None else act("finish", answer=answer)

    return agent


def spoken(action: ToolCall | str) -> str:
    """Return the action as the text that the `hermes` parser reads."""
    if isinstance(action, str):
        return action
    call = {"name": action.name, "arguments": dict(action.arguments)}
    return f"<tool_call>{json.dumps(call)}</tool_call>"
