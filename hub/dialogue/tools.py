"""Tools: what a model may call, with a JSON schema for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from hub.dialogue.budget import Budget, Deadline
from hub.dialogue.tasks import Task
from hub.errors import MissingDependency, SandboxFileError, ToolMisuse, UnknownOption
from hub.trajectory import ToolCall

if TYPE_CHECKING:
    from hub.sandbox import Sandbox

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """What a tool answers.

    Attributes:
        text: What the model reads.
        done: The call ends the episode.
    """

    text: str
    done: bool = False


@dataclass
class Session:
    """What tools see of an episode.

    Attributes:
        task: The task; tools that show its `data` to the model leak it.
        budget: The episode's budget.
        deadline: When its time is used up.
        open_sandbox: Starts the sandbox at the first use and returns the same one after that.
        answer: The final answer, once the model gave one.
        memory: What tools keep between calls, by tool name.
    """

    task: Task
    budget: Budget
    deadline: Deadline
    open_sandbox: Callable[[], Sandbox]
    answer: str | None = None
    memory: dict[str, Any] = field(default_factory=dict)

    def seconds(self) -> float:
        """Return how long one command may take now, in seconds."""
        return max(0.01, min(self.budget.command_seconds, self.deadline.left()))


class Tool(Protocol):
    """A tool; its schema has `name`, `description` and `parameters` (JSON Schema, an object)."""

    schema: Schema

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        """Run one call whose arguments fit the schema.

        Raises:
            ToolMisuse: The arguments make no sense; the message goes to the model.
            SandboxError: The sandbox failed as a whole.
        """


class Toolbox:
    """The tools of one environment, by name."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        names = [str(tool.schema["name"]) for tool in tools]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UnknownOption(f"tools: {twice[0]!r} is there twice; the domain brings its own")
        self._tools = dict(zip(names, tools, strict=True))
        self.schemas: tuple[Schema, ...] = tuple(tool.schema for tool in tools)
        for schema in self.schemas:
            _validator().check_schema(schema["parameters"])

    def call(self, call: ToolCall, session: Session) -> ToolResult:
        """Check `call` against the tool's schema and run it.

        Raises:
            ToolMisuse: No such tool, or arguments that do not fit; the message goes to the model.
            SandboxError: The sandbox failed as a whole.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            raise ToolMisuse(f"there is no tool {call.name!r}; the tools are: {known}")
        validator = _validator()(tool.schema["parameters"])
        wrong = next(validator.iter_errors(dict(call.arguments)), None)
        if wrong is not None:
            where = "/".join(map(str, wrong.absolute_path)) or "arguments"
            raise ToolMisuse(f"{call.name}: {where}: {wrong.message[:500]}")
        try:
            return tool.run(call.arguments, session)
        except SandboxFileError as error:  # as a command that fails: the model's to deal with
            raise ToolMisuse(f"{call.name}: {error}") from error


def _validator() -> Any:
    try:
        from jsonschema import Draft202012Validator
    except ImportError as error:
        raise MissingDependency(
            "tools need the distribution jsonschema. Fix: pip install jsonschema"
        ) from error
    return Draft202012Validator
