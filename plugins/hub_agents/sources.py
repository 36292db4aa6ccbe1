"""Where the built-in environments take their tasks from."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from typing import Any

from hub.dialogue import Task, TaskSource, Without, find_tasks, read_quarantine
from hub.errors import TaskError

# Where rows have a worked solution: the two editions of SCP-116K, and the others.
SOLUTIONS = ("matched_solution", "extract_solution", "solution")
# Fields of every row of one's own; environments add theirs.
OWN = ("id", "split", "prompt", "problem", "question")
_NEAR = 0.85  # difflib's ratio: `units` for `unit`, `seconds_` for `seconds`, not `doc_id` for `id`
_WORDS = {"tolerance": "rtol", "tol": "rtol", "rel_tol": "rtol", "timeout": "seconds",
          "time_limit": "seconds", "function": "entry", "tests": "cases"}  # fmt: skip


def opened(
    tasks: str,
    split: str,
    seed: int,
    convert: Callable[[Mapping[str, Any], str], Task],
    quarantine: str | None,
    bad_rows: str = "refuse",
) -> TaskSource:
    """Return the tasks of a file or registered source, without those in the quarantine file."""
    return kept(find_tasks(tasks, split, seed, convert, bad_rows), quarantine)


def kept(source: TaskSource, quarantine: str | None) -> TaskSource:
    """Return `source` without the tasks in the file `quarantine` (None: all of it)."""
    return source if quarantine is None else Without(source, read_quarantine(quarantine))


def check_fields(row: Mapping[str, Any], own: tuple[str, ...], where: str) -> None:
    """Refuse a misnamed field: its author meant something by it and it would be left unread.

    Datasets have columns of their own (a source, a level, a link), so only what is spelt nearly
    like a field that the row lacks, or is another program's word for one, is refused.

    Args:
        row: The row; a field that is None is none.
        own: The environment's fields besides `OWN`.
        where: Where the row stands, for the message.

    Raises:
        TaskError: There is one; the message names the row, the field and the one that was meant.
    """
    known = (*OWN, *own)
    there = {name for name, value in row.items() if value is not None}
    absent = [name for name in known if name not in there]
    for name in sorted(there - set(known)):
        near = difflib.get_close_matches(name, absent, n=1, cutoff=_NEAR)
        meant = near[0] if near else _WORDS.get(name)
        if meant in absent:
            fields = ", ".join(known)
            raise TaskError(
                f"{where}: unknown field {name!r} (did you mean {meant!r}?); its fields: {fields}"
            )


def text_of(row: Mapping[str, Any], names: tuple[str, ...], where: str) -> str:
    """Return the first of the fields `names` that holds a text.

    Raises:
        TaskError: None of them does; the message names the row and the fields.
    """
    for name in names:
        value = row.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    raise TaskError(f"{where}: expected a text in {' or '.join(map(repr, names))}")


def asked(row: Mapping[str, Any], where: str) -> str:
    """Return what a row asks: `prompt`, `problem` or `question`, a text or chat messages.

    Of messages the user's are taken: the system prompt is the environment's.
    """
    prompt = row.get("prompt")
    if isinstance(prompt, list):
        said = [m.get("content") for m in prompt if isinstance(m, dict) and m.get("role") == "user"]
        row = {**row, "prompt": "\n\n".join(text for text in said if isinstance(text, str))}
    return text_of(row, ("prompt", "problem", "question"), where)


def named(row: Mapping[str, Any], where: str) -> str:
    """Return a row's id, or its number in the file."""
    value = row.get("id", where.rpartition(" ")[2])
    if not isinstance(value, str | int) or value == "":
        raise TaskError(f"{where}: id {value!r}: expected a text or a whole number")
    return str(value)
