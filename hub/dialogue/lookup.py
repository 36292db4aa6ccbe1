"""Tools, parsers and task sources by the names that plugins registered them under."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hub import plugins
from hub.dialogue.parsers import Parser
from hub.dialogue.tasks import ListSource, Task, TaskSource, read_rows, task_of_row
from hub.dialogue.tools import Tool
from hub.errors import TaskError, UnknownOption

FILES = (".json", ".jsonl", ".parquet")


def find_tool(name: str) -> Tool:
    """Make the tool `name` (registered as `tool:NAME`), of `NAME:ARGUMENT` with its argument.

    Raises:
        UnknownOption: Nobody registered it; the message names those that there are.
        TargetError: Its module cannot be imported.
    """
    base, colon, argument = name.partition(":")
    make = _component("tools", "tool:", base)
    return cast(Tool, make(argument) if colon else make())


def find_parser(name: str) -> Parser:
    """Make the parser `name` (registered as `parser:NAME`); errors as for `find_tool`."""
    return cast(Parser, _component("tools", "parser:", name)())


def find_tasks(
    tasks: str,
    split: str = "train",
    seed: int = 0,
    convert: Callable[[Mapping[str, Any], str], Task] = task_of_row,
) -> TaskSource:
    """Return the tasks of a file or of a registered source.

    Args:
        tasks: Path of a .json, .jsonl or .parquet file, or the name of a source.
        split: For a source, the split that it shall give; for a file, the rows whose `split` is
            this one (a row without the field is in every split).
        seed: For sources that generate their tasks.
        convert: Makes a task of a file's row; its second argument says where the row stands.

    Raises:
        TaskError: The file cannot be read, a row is no task, or the split is empty.
        UnknownOption: It is neither a file's name nor a registered source.
    """
    if not tasks.endswith(FILES):
        return cast(TaskSource, _component("tasks", "", tasks)(split=split, seed=seed))
    path = Path(tasks)
    rows = [
        convert(row, f"{path} row {number}")
        for number, row in enumerate(read_rows(path), 1)
        if row.get("split", split) == split
    ]
    if not rows:
        raise TaskError(f"tasks {tasks!r}: no row of split {split!r}")
    return ListSource(rows, str(path))


def _component(kind: str, prefix: str, name: str) -> Callable[..., Any]:
    found = plugins.PLUGINS.kind(kind)
    component = found.get(prefix + name)
    if component is not None:
        return cast(Callable[..., Any], component.load())
    known = [full.removeprefix(prefix) for full in found if full.startswith(prefix)]
    what = {"tool:": "tool", "parser:": "parser"}.get(prefix, "task source")
    raise UnknownOption(f"no {what} {name!r}{_near(name, known)}; there are: {_list(known)}")


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _list(known: Sequence[str]) -> str:
    return ", ".join(known) or "none (is the plugin hub_agents loaded? see `hub plugins`)"
