"""Multi-turn text environments: budgets, tools, parsers, token provenance, records."""

from hub.dialogue.budget import Budget, Deadline
from hub.dialogue.domain import Domain, Grade, Mounted, Submission
from hub.dialogue.env import DialogueEnv
from hub.dialogue.hf import HFTokenizer, load_tokenizer
from hub.dialogue.lookup import find_parser, find_tasks, find_tool
from hub.dialogue.parsers import BashBlockParser, FencedParser, HermesParser, Parsed, Parser
from hub.dialogue.probe import Agent, Probed, Script, act, answering, spoken
from hub.dialogue.quarantine import Quarantined, Without, read_quarantine, write_quarantine
from hub.dialogue.record import Recorder, Recording, read_records
from hub.dialogue.replay import ReplayEnv, Rescored, grader_of, rescore, verify
from hub.dialogue.rooms import SandboxOptions
from hub.dialogue.tasks import (
    Findable,
    ListSource,
    Task,
    TaskSource,
    numbered,
    place_of,
    read_rows,
    task_of_row,
)
from hub.dialogue.tokens import Said, Tokenizer, TokenStore
from hub.dialogue.tools import Session, Tool, Toolbox, ToolResult
from hub.dialogue.vector import DialogueVectorEnv, vector_class

__all__ = [
    "Agent",
    "BashBlockParser",
    "Budget",
    "Deadline",
    "DialogueEnv",
    "DialogueVectorEnv",
    "Domain",
    "FencedParser",
    "Findable",
    "Grade",
    "HFTokenizer",
    "HermesParser",
    "ListSource",
    "Mounted",
    "Parsed",
    "Parser",
    "Probed",
    "Quarantined",
    "Recorder",
    "Recording",
    "ReplayEnv",
    "Rescored",
    "Said",
    "SandboxOptions",
    "Script",
    "Session",
    "Submission",
    "Task",
    "TaskSource",
    "TokenStore",
    "Tokenizer",
    "Tool",
    "ToolResult",
    "Toolbox",
    "Without",
    "act",
    "answering",
    "find_parser",
    "find_tasks",
    "find_tool",
    "grader_of",
    "load_tokenizer",
    "numbered",
    "place_of",
    "read_quarantine",
    "read_records",
    "read_rows",
    "rescore",
    "spoken",
    "task_of_row",
    "vector_class",
    "verify",
    "write_quarantine",
]
