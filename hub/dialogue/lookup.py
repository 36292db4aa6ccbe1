"""Tools, parsers and task sources by the names that plugins registered them under."""

from __future__ import annotations

import difflib
import warnings
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


def tools_of(given: Any) -> list[Tool]:
    """Return tools of a list of names and tools.

    Raises:
        UnknownOption: It is no list, or one of it is neither a name nor a tool.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        like = f"[{given!r}]" if isinstance(given, str) else "['bash']"
        raise UnknownOption(f"tools {given!r:.80}: expected a list of names, like {like}")
    for one in given:
        _require("tools", one, ("schema", "run"), "names of tools, or objects")
    return [find_tool(one) if isinstance(one, str) else one for one in given]


def parser_of(given: Any) -> Parser:
    """Return the parser of a name, or a parser itself.

    Raises:
        UnknownOption: It is neither.
    """
    _require("parser", given, ("instructions", "parse"), "a parser's name, or an object")
    return find_parser(given) if isinstance(given, str) else cast(Parser, given)


def _require(option: str, given: Any, parts: Sequence[str], expected: str) -> None:
    if not isinstance(given, str) and any(not hasattr(given, part) for part in parts):
        raise UnknownOption(
            f"{option} {given!r:.80}: expected {expected} with {' and '.join(parts)}"
        )


def find_tasks(
    tasks: str,
    split: str = "train",
    seed: int = 0,
    convert: Callable[[Mapping[str, Any], str], Task] = task_of_row,
    bad_rows: str = "refuse",
) -> TaskSource:
    """Return the tasks of a file or of a registered source.

    Args:
        tasks: Path of a .json, .jsonl or .parquet file, or the name of a source.
        split: For a source, the split that it shall give; for a file, the rows whose `split` is
            this one (a row without the field is in every split).
        seed: For sources that generate their tasks.
        convert: Makes a task of a file's row; its second argument says where the row stands.
        bad_rows: What becomes of a file's rows that are no task: `"refuse"` raises, `"skip"` leaves
            them out with a warning that counts them. Published sets hold some. A line that is no
            JSON, or no JSON object, is refused either way: then the file itself is damaged.

    Raises:
        TaskError: The file cannot be read, a row is no task, or none is left.
        UnknownOption: It is neither a file's name nor a registered source, or `bad_rows` is
            neither word.
    """
    if bad_rows not in ("refuse", "skip"):
        raise UnknownOption(f"bad_rows {bad_rows!r}: expected 'refuse' or 'skip'")
    if not tasks.endswith(FILES):
        return cast(TaskSource, _component("tasks", "", tasks)(split=split, seed=seed))
    path = Path(tasks)
    rows = [
        (row, f"{path} row {number}")
        for number, row in enumerate(read_rows(path), 1)
        if row.get("split", split) == split
    ]
    if not rows:
        raise TaskError(f"tasks {tasks!r}: no row of split {split!r}")
    return ListSource(_converted(rows, convert, bad_rows), str(path))


def _converted(
    rows: Sequence[tuple[Mapping[str, Any], str]],
    convert: Callable[[Mapping[str, Any], str], Task],
    bad_rows: str,
) -> list[Task]:
    found: list[Task] = []
    bad: list[str] = []
    for row, where in rows:
        try:
            found.append(convert(row, where))
        except TaskError as error:
            if bad_rows == "refuse":
                raise TaskError(f"{error} (bad_rows='skip' leaves such rows out)") from error
            bad.append(str(error))
    if bad and not found:
        raise TaskError(f"none of {len(rows)} rows is a task; the first: {bad[0]}")
    if bad:
        told = f"{len(bad)} of {len(rows)} rows are left out as no task; the first: {bad[0]}"
        warnings.warn(told, stacklevel=3)
    return found


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
