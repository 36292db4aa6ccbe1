"""Tasks and where they come from: any dataset behind a small protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from hub.errors import MissingDependency, TaskError


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes:
        id: Unique within its source.
        prompt: What the model is asked, as text.
        data: What grading and preparing need, JSON values; never shown to the model.
    """

    id: str
    prompt: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.prompt, str) or _unencodable(self.prompt):
            raise TaskError(f"task {self.id}: its prompt is no text that UTF-8 can encode")


def _unencodable(text: str) -> bool:
    return any(0xD800 <= ord(c) <= 0xDFFF for c in text)


class TaskSource(Protocol):
    """A sequence of tasks: one split of a dataset, or what a generator makes of a seed.

    An implementation is deterministic: `get(i)` returns the same task in every process.
    """

    def __len__(self) -> int:
        """Return the number of tasks; a generator returns how many it is prepared to make."""

    def get(self, index: int) -> Task:
        """Return task `index` (0 to `len - 1`).

        Raises:
            IndexError: There is no such task.
        """


@runtime_checkable
class Findable(Protocol):
    """A source that finds a task by its id without making every task: any with many has it."""

    def find(self, task_id: str) -> int | None:
        """Return the place of the task `task_id`, or None where there is none."""


def place_of(source: TaskSource, task_id: str) -> int | None:
    """Return the place of a task in a source, or None; one without `find` makes all its tasks."""
    if isinstance(source, Findable):
        return source.find(task_id)
    return next((i for i in range(len(source)) if source.get(i).id == task_id), None)


def numbered(task_id: str, size: int) -> int | None:
    """Return the number below `size` that an id like `gcd-easy-train-0-17` ends in, or None."""
    digits = task_id.rpartition("-")[2]
    # Of so many digits at most: any text may be asked for.
    if not digits.isascii() or not digits.isdigit() or len(digits) > len(str(size)):
        return None
    return int(digits) if int(digits) < size else None


class ListSource:
    """Tasks held in memory."""

    def __init__(self, tasks: list[Task], name: str = "list") -> None:
        if not tasks:
            raise TaskError(f"task source {name}: it holds no task")
        ids = [task.id for task in tasks]
        twice = sorted({i for i in ids if ids.count(i) > 1}) if len(set(ids)) < len(ids) else []
        if twice:
            raise TaskError(f"task source {name}: id {twice[0]!r} stands there more than once")
        self._tasks = tasks
        self._places = {task_id: place for place, task_id in enumerate(ids)}

    def __len__(self) -> int:
        return len(self._tasks)

    def get(self, index: int) -> Task:
        """Return task `index`."""
        if not 0 <= index < len(self._tasks):
            raise IndexError(f"task {index}: the source has {len(self._tasks)}")
        return self._tasks[index]

    def find(self, task_id: str) -> int | None:
        """Return the place of a task, or None."""
        return self._places.get(task_id)


def task_of_row(row: Mapping[str, Any], where: str) -> Task:
    """Make a task of a row with `prompt` and, where it has one, `id`; the rest is its data.

    Raises:
        TaskError: It has no prompt, or a field is of another kind; the message names `where`.
    """
    prompt, task_id = row.get("prompt"), row.get("id", where.rpartition(" ")[2])
    if not isinstance(prompt, str) or not prompt:
        raise TaskError(f"{where}: prompt {prompt!r}: expected a text")
    if not isinstance(task_id, str | int):
        raise TaskError(f"{where}: id {task_id!r}: expected a text")
    data = {key: value for key, value in row.items() if key not in ("id", "prompt", "split")}
    return Task(str(task_id), prompt, data)


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """Read the rows of a JSON (a list of objects), JSONL or Parquet file.

    Raises:
        TaskError: The file is absent, of another kind, or a row is no object; names the line.
        MissingDependency: Parquet needs pyarrow.
    """
    path = Path(path)
    if not path.is_file():
        raise TaskError(f"tasks {str(path)!r}: there is no such file")
    if path.suffix == ".jsonl":
        # Not splitlines: JSON strings may hold U+2028 and its like, which end no line of JSONL.
        rows = [
            _parse(line, f"{path} line {number}")
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
            if line.strip()
        ]
    elif path.suffix == ".json":
        rows = _parse(path.read_text(encoding="utf-8"), str(path))
    elif path.suffix == ".parquet":
        rows = _parquet(path)
    else:
        raise TaskError(f"tasks {str(path)!r}: expected a .json, .jsonl or .parquet file")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TaskError(f"tasks {str(path)!r}: expected one JSON object a row")
    return rows


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{where}: not valid JSON ({error})") from error


def _parquet(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingDependency(f"{path} is Parquet. Fix: pip install pyarrow") from error
    # Every row has every column there: null is how a row goes without.
    rows = parquet.read_table(path).to_pylist()
    return [{name: value for name, value in row.items() if value is not None} for row in rows]
