"""The built-in instances: names, versions, checksums and tests' names; sources are fetched.

A row of `catalogue.jsonl` has `id`, `split`, `package`, `old` and `new` (version and SHA-256 of
the source archive), `requires`, `problem`, `fail_to_pass`, `pass_to_pass`, `without_decoy`, and
`decoys`: test function, number among the forms of `hub_agents.swe.forms.candidates`, and its tests,
each with its name in that form. `python -m hub_agents.swe.catalogue INSTANCE.json...` prints the
rows of mined instances.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from hub.dialogue import Task, read_rows
from hub.errors import TaskError, UnknownOption
from hub_agents.swe import forms
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.instance import Instance
from hub_agents.swe.releases import Pair, drafted, guarded, pair
from hub_agents.swe.source import task_of

SPLITS = ("train", "test")
ROWS = Path(__file__).with_name("catalogue.jsonl")


class Catalogue:
    """The built-in instances of one split; each is built when it is first asked for.

    Args:
        split: `train` or `test`.
        seed: Changes nothing, as they are a fixed set.

    Raises:
        UnknownOption: There is no such split.
    """

    def __init__(self, split: str = "train", seed: int = 0) -> None:
        if split not in SPLITS:
            raise UnknownOption(f"split {split!r}: expected one of {', '.join(SPLITS)}")
        self._rows = [row for row in read_rows(ROWS) if row["split"] == split]

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, index: int) -> Task:
        """Return task `index`.

        Raises:
            IndexError: There is no such task.
            TaskError: Its archives cannot be had.
        """
        if not 0 <= index < len(self._rows):
            raise IndexError(f"task {index}: the catalogue has {len(self._rows)}")
        return _task(json.dumps(self._rows[index]))

    def find(self, task_id: str) -> int | None:
        """Return the place of an instance, or None; no archive is fetched."""
        places = (at for at, row in enumerate(self._rows) if row["id"] == task_id)
        return next(places, None)


@cache
def _task(row: str) -> Task:
    return task_of(built(json.loads(row)))


def built(row: Mapping[str, Any]) -> Instance:
    """Fetch both archives and make the instance that `row` describes.

    Raises:
        TaskError: An archive cannot be had or is another one, or the row does not fit it.
    """
    (old, old_sum), (new, new_sum) = row["old"], row["new"]
    both = pair(row["package"], old, new, (old_sum, new_sum))
    put, of = [], _forms(both)
    for function, number, tests in row["decoys"]:
        found = of(function)
        if number >= len(found):
            raise TaskError(f"catalogue {row['id']}: {function} has no decoy {number}")
        named = tuple((test, name) for test, name in tests)
        put.append(replace(found[number], tests=named))
    return replace(
        guarded(drafted(both, row["requires"]), put, both.texts),
        id=row["id"],
        problem=row["problem"],
        fail_to_pass=tuple(row["fail_to_pass"]),
        pass_to_pass=tuple(row["pass_to_pass"]),
    )


def old_texts(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the tests that the agent has.

    Raises:
        TaskError: An archive cannot be had.
    """
    (old, old_sum), (new, new_sum) = row["old"], row["new"]
    return pair(row["package"], old, new, (old_sum, new_sum)).old_texts


def _forms(both: Pair) -> Callable[[str], list[Decoy]]:
    """Return what gives the forms of a test function; each function's are made once."""
    texts, old, key = both.texts, both.old_texts, both.gold_patch

    @cache
    def of(function: str) -> list[Decoy]:
        path = function.partition("::")[0]
        groups = forms.candidates(function, texts.get(path, ""), old.get(path, ""), key)
        return [one for group in groups for one in group]

    return of


def row_of(instance: Instance) -> dict[str, Any]:
    """Return the row of a mined instance: all of it but sources and tests."""
    fixed = instance.meta["fixed_by"]
    old = (instance.base["version"], fixed["version"])
    both = pair(instance.repo, *old, (instance.base["sha256"], fixed["sha256"]))
    decoys, of = [], _forms(both)
    for one in map(Decoy.from_json, instance.decoys):
        number = of(one.function).index(replace(one, tests=()))
        decoys.append([one.function, number, [list(named) for named in one.tests]])
    return {
        "id": instance.id,
        "split": "train",
        "package": instance.repo,
        "old": [instance.base["version"], instance.base["sha256"]],
        "new": [fixed["version"], fixed["sha256"]],
        "requires": list(instance.requires),
        "problem": instance.problem,
        "fail_to_pass": list(instance.fail_to_pass),
        "pass_to_pass": list(instance.pass_to_pass),
        "decoys": decoys,
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        value = json.loads(Path(name).read_text(encoding="utf-8"))
        print(json.dumps(row_of(Instance.from_json(value)), ensure_ascii=False))
