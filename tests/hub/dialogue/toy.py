"""A small real domain for the tests: sums, with a calculator and tools that fail on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hub.dialogue import (
    Budget,
    DialogueEnv,
    Grade,
    ListSource,
    Session,
    Submission,
    Task,
    ToolResult,
    vector_class,
)
from hub.errors import ToolMisuse


class Calculator:
    """Adds two whole numbers."""

    schema: Mapping[str, Any] = {
        "name": "add",
        "description": "Add two whole numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
            "additionalProperties": False,
        },
    }

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        if max(abs(arguments["a"]), abs(arguments["b"])) > 10**6:
            raise ToolMisuse("add: numbers up to a million, please")
        return ToolResult(str(arguments["a"] + arguments["b"]))


class Does:
    """The tool `name` does what a test tells it to."""

    def __init__(self, name: str, what: Callable[[Session], str]) -> None:
        parameters = {"type": "object", "properties": {}}
        self.schema = {"name": name, "description": "For a test.", "parameters": parameters}
        self._what = what

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        return ToolResult(self._what(session))


class SumsDomain:
    """Sums of two numbers; a message without a tool call is the answer."""

    name = "sums"
    failure_reward = -1.0
    text_ends = True

    def __init__(self, *tools: Any) -> None:
        self.source = ListSource(
            [
                Task(f"{a}+{b}", f"What is {a} + {b}? 🙂", {"answer": a + b})
                for a in range(8)
                for b in range(8)
            ]
        )
        self.tools = (Calculator(), "finish", *tools)

    def system(self, task: Task) -> str:
        return "Answer with the number alone."

    def image(self, task: Task) -> str:
        return "host"

    def prepare(self, task: Task, sandbox: Any) -> None:
        sandbox.write("task.txt", task.prompt)

    def collect(self, task: Task, answer: str | None, sandbox: Any) -> Submission:
        return {"answer": answer}

    def grade(self, task: Task, submission: Submission) -> Grade:
        answer = submission["answer"]
        right = answer is not None and answer.strip() == str(task.data["answer"])
        return Grade(float(right), {"right": float(right)}, reason="right" if right else "wrong")


class Sums(DialogueEnv):
    """Sums of two numbers."""

    def __init__(
        self,
        *,
        text_ends: bool = True,
        parser: str = "hermes",
        budget: dict[str, Any] | None = None,
        sandbox: dict[str, Any] | None = None,
        record: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            SumsDomain(),
            parser=parser,
            budget=Budget.of(budget, turns=3),
            sandbox=sandbox,
            record=record,
            render_mode=render_mode,
        )
        self.domain.text_ends = text_ends


SumsVector = vector_class(Sums)

PLUGIN = """
import hub

@hub.hookimpl
def hub_register_envs(register):
    register(hub.EnvCard(id="toys/Sums-v0", summary="Sums.", family="agent", backend="python",
        kwargs={"budget": {"turns": 3}, "text_ends": False},
        entry_point="tests.hub.dialogue.toy:Sums",
        vector_entry_point="tests.hub.dialogue.toy:SumsVector"))
"""


def call(name: str, /, **arguments: Any) -> str:
    """Write a call in the Hermes syntax."""
    data = json.dumps({"name": name, "arguments": arguments})
    return f"Let me see.\n<tool_call>{data}</tool_call>"


def make(*tools: Any, **options: Any) -> DialogueEnv:
    """Make the environment with more tools and any options of `DialogueEnv`."""
    return DialogueEnv(SumsDomain(*tools), **options)
