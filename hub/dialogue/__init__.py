"""Multi-turn text environments: budgets, tools, parsers, token provenance, records."""

from hub.dialogue.budget import Budget, Deadline
from hub.dialogue.domain import Domain, Grade, Submission
from hub.dialogue.env import DialogueEnv
from hub.dialogue.parsers import BashBlockParser, FencedParser, HermesParser, Parsed, Parser
from hub.dialogue.record import Recorder, Recording, read_records
from hub.dialogue.rooms import SandboxOptions
from hub.dialogue.tasks import ListSource, Task, TaskSource, read_rows
from hub.dialogue.tokens import Said, Tokenizer, TokenStore
from hub.dialogue.tools import Session, Tool, Toolbox, ToolResult

__all__ = [
    "BashBlockParser",
    "Budget",
    "Deadline",
    "DialogueEnv",
    "Domain",
    "FencedParser",
    "Grade",
    "HermesParser",
    "ListSource",
    "Parsed",
    "Parser",
    "Recorder",
    "Recording",
    "Said",
    "SandboxOptions",
    "Session",
    "Submission",
    "Task",
    "TaskSource",
    "TokenStore",
    "Tokenizer",
    "Tool",
    "ToolResult",
    "Toolbox",
    "read_records",
    "read_rows",
]
