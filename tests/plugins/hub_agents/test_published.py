"""Rows in the shapes of published sets, by the path of a file, played to the reward.

The columns are those of the sets; the rows are our own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from hub.errors import TaskError
from tests import need
from tests.plugins.hub_agents.conftest import finish

Rows = list[dict[str, Any]]
KINDS = ("jsonl", "parquet")

DEEPSCALER: Rows = [
    {"problem": "What is half of three?", "answer": "\\frac{3}{2}", "solution": "$3/2$."},
    {"problem": "Solve $2x = 8$.", "answer": "4", "solution": None},
]
SCP: Rows = [
    {
        "domain": "Physics",
        "doc_id": 7,
        "problem": "A stone falls for 2 s from rest. How fast is it? Take g = 10 m/s^2.",
        "solution": "v = g t",
        "matched_solution": "v = 10 * 2, so \\boxed{20\\ \\mathrm{m/s}}",
        "r1_response": None,
    }
]
MESSAGES = [
    {"role": "system", "content": "Think."},
    {"role": "user", "content": "Answer the question."},
]


def eurus(ability: str, truth: str) -> dict[str, Any]:
    return {
        "data_source": "somewhere",
        "ability": ability,
        "prompt": MESSAGES,
        "reward_model": {"ground_truth": truth, "style": "rule"},
        "extra_info": {"index": 1, "split": "train"},
    }


CALLS = json.dumps({"fn_name": "double", "inputs": ["3", "5"], "outputs": ["6", "10"]})
LINES = json.dumps({"inputs": ["3\n", "5\n"], "outputs": ["6\n", "10\n"]})
FUNCTION = "def double(x):\n    return 2 * x\n"
PROGRAM = "print(2 * int(input()))\n"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(path: Path, rows: Rows) -> str:
    if path.suffix == ".parquet":
        pyarrow, parquet = need.module("pyarrow"), need.module("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def played(env_id: str, path: str, answers: Sequence[tuple[str, float]], **options: Any) -> None:
    """Answer each task of the file in turn; each answer must earn its reward."""
    env = gymnasium.make(env_id, tasks=path, **options)
    for index, (answer, reward) in enumerate(answers):
        env.reset(options={"task": index})
        _, got, terminated, _, info = env.step(finish(answer))
        assert (got, terminated) == (reward, True), info
    env.close()


def test_deepscaler_rows_are_played(tmp_path: Path, kind: str) -> None:
    need.distribution("math-verify")
    path = write(tmp_path / f"rows.{kind}", DEEPSCALER)
    played("hub:agent/Math-v0", path, [("1.5", 1.0), ("x = 4", 1.0)])
    played("hub:agent/Math-v0", path, [("1.4", 0.0), ("8", 0.0)])


def test_scp_116k_rows_are_played(tmp_path: Path, kind: str) -> None:
    need.distribution("pint")
    path = write(tmp_path / f"rows.{kind}", SCP)
    for answer, reward in (("72 km/h", 1.0), ("20", 0.0)):
        played("hub:agent/Science-v0", path, [(answer, reward)])


def test_eurus_2_rows_of_mathematics_are_played(tmp_path: Path, kind: str) -> None:
    need.distribution("math-verify")
    path = write(tmp_path / f"rows.{kind}", [eurus("math", "\\sqrt{8}"), eurus("math", "7")])
    played("hub:agent/Math-v0", path, [("2\\sqrt{2}", 1.0), ("8", 0.0)])


def test_eurus_2_rows_of_programming_are_played(
    sandboxed: dict[str, str], tmp_path: Path, kind: str
) -> None:
    path = write(tmp_path / f"rows.{kind}", [eurus("code", CALLS), eurus("code", LINES)])
    played("hub:agent/Code-v0", path, [(FUNCTION, 1.0), (PROGRAM, 1.0)], sandbox=sandboxed)
    wrong = [(FUNCTION.replace("2", "3"), 0.0), (PROGRAM.replace("2", "3"), 0.0)]
    played("hub:agent/Code-v0", path, wrong, sandbox=sandboxed)


def test_rows_of_another_ability_are_refused_by_their_number(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / f"rows.{kind}", [eurus("math", "7"), eurus("code", LINES)])
    with pytest.raises(TaskError, match=r"rows.* row 2: ability 'code': expected 'math'"):
        gymnasium.make("hub:agent/Math-v0", tasks=path)
