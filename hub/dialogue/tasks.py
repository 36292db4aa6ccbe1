"""Tasks and where they come from: any dataset behind a small protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hub.errors import TaskError


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


class TaskSource(Protocol):
    """A finite or unbounded sequence of tasks.

    An implementation is deterministic: `get(i)` returns the same task in every process.
    """

    def __len__(self) -> int:
        """Return the number of tasks; a generator returns how many it is prepared to make."""

    def get(self, index: int) -> Task:
        """Return task `index` (0 to `len - 1`).

        Raises:
            IndexError: There is no such task.
        """


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

    def __len__(self) -> int:
        return len(self._tasks)

    def get(self, index: int) -> Task:
        """Return task `index`."""
        if not 0 <= index < len(self._tasks):
            raise IndexError(f"task {index}: the source has {len(self._tasks)}")
        return self._tasks[index]


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
        rows = [
            _parse(line, f"{path} line {number}")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
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
        from hub.errors import MissingDependency

        raise MissingDependency(f"{path} is Parquet. Fix: pip install pyarrow") from error
    return parquet.read_table(path).to_pylist()
