"""Where repair tasks come from: the catalogue, what was mined or mutated, rows of datasets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hub.dialogue import ListSource, Task, TaskSource
from hub.errors import TaskError
from hub_agents.sources import kept
from hub_agents.sources import opened as open_rows
from hub_agents.swe.instance import Instance
from hub_agents.swe.rows import Defaults
from hub_agents.swe.rows import instance as instance_of

FILE = "instance.json"


def opened(
    tasks: str,
    split: str,
    quarantine: str | None,
    defaults: Defaults | None = None,
    bad_rows: str = "refuse",
) -> TaskSource:
    """Return the tasks of a directory of instances, of a file, or of a registered source.

    Args:
        tasks: A directory with `instance.json` in it or in its folders, one such file, a file of
            rows (.json, .jsonl, .parquet), or the name of a source.
        split: As in `hub.dialogue.find_tasks`; a directory has one split.
        quarantine: File of tasks to leave out.
        defaults: What holds for rows of datasets that do not say it themselves.
        bad_rows: As in `hub.dialogue.find_tasks`, for files of rows.

    Raises:
        TaskError: It holds no instance, or one cannot be read.
        UnknownOption: It is neither a path nor a registered source.
    """
    path = Path(tasks)
    if path.is_dir():
        found = sorted(path.rglob(FILE))
        if not found:
            raise TaskError(f"tasks {tasks!r}: the directory holds no {FILE}")
        return kept(ListSource([_one(file) for file in found], tasks), quarantine)
    if path.name == FILE and path.is_file():
        return kept(ListSource([_one(path)], tasks), quarantine)
    convert = partial(instance_row, defaults=defaults)
    return open_rows(tasks, split, 0, convert, quarantine, bad_rows)


def _one(path: Path) -> Task:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TaskError(f"instance {path}: {error}") from error
    if not isinstance(value, dict):
        raise TaskError(f"instance {path}: expected a JSON object")
    return instance_row(value, str(path))


def instance_row(row: Mapping[str, Any], where: str, defaults: Defaults | None = None) -> Task:
    """Make a task of a row that holds an instance, or is one of a dataset (`rows`).

    Raises:
        TaskError: It is neither; the message names the row and the field.
    """
    return task_of(instance_of({k: v for k, v in row.items() if k != "split"}, where, defaults))


def task_of(instance: Instance) -> Task:
    """Return the task that asks for `instance` to be repaired."""
    hints = f"\n\nHints:\n{instance.hints}" if instance.hints.strip() else ""
    prompt = f"The repository is in {instance.workdir}.\n\n{instance.problem}{hints}"
    return Task(instance.id, prompt, instance.to_json())
