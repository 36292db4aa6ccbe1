"""Quarantined tasks: found unfit by `hub tasks validate`, left out of a source from then on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.dialogue.tasks import Task, TaskSource, place_of
from hub.errors import TaskError

SCHEMA = "hub.quarantine/1"


@dataclass(frozen=True)
class Quarantined:
    """One task that is left out.

    Attributes:
        id: The task's id.
        index: Where it stood in its source when it was found.
        reason: What was found.
    """

    id: str
    index: int
    reason: str


def read_quarantine(path: str | Path) -> list[Quarantined]:
    """Read a quarantine file.

    Raises:
        TaskError: It cannot be read or is none.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']!r}: expected {SCHEMA!r}")
        return [Quarantined(str(t["id"]), int(t["index"]), str(t["reason"])) for t in data["tasks"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TaskError(
            f"quarantine {str(path)!r}: {type(error).__name__}: {error}; "
            "expected what `hub tasks validate --quarantine` writes"
        ) from error


def write_quarantine(path: str | Path, env: str, tasks: Sequence[Quarantined]) -> None:
    """Write a quarantine file in one step, so that a reader never sees half of it."""
    data: Mapping[str, Any] = {"schema": SCHEMA, "env": env, "tasks": [vars(t) for t in tasks]}
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    part.replace(path)


class Without:
    """A source without the quarantined tasks; the others keep their order.

    A task is known by its id: looked for first where it was found, then everywhere. One that is
    in the source no more is nothing to leave out.

    Raises:
        TaskError: No task is left.
    """

    def __init__(self, source: TaskSource, quarantined: Sequence[Quarantined]) -> None:
        self._source = source
        gone = {_place(source, entry) for entry in quarantined} - {None}
        self._gone = sorted(place for place in gone if place is not None)
        if len(self._gone) == len(source):
            raise TaskError(f"all {len(source)} tasks are in quarantine")

    def __len__(self) -> int:
        return len(self._source) - len(self._gone)

    def get(self, index: int) -> Task:
        """Return task `index` of those that are left."""
        if not 0 <= index < len(self):
            raise IndexError(f"task {index}: the source has {len(self)}")
        for place in self._gone:
            index += place <= index
        return self._source.get(index)

    def find(self, task_id: str) -> int | None:
        """Return the place of a task among those that are left, or None."""
        place = place_of(self._source, task_id)
        if place is None or place in self._gone:
            return None
        return place - sum(gone < place for gone in self._gone)


def _place(source: TaskSource, entry: Quarantined) -> int | None:
    if 0 <= entry.index < len(source) and source.get(entry.index).id == entry.id:
        return entry.index
    return place_of(source, entry.id)
