"""Science-v0, played for real, and rows of a user's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from hub.dialogue.validate import validate
from hub.errors import TaskError, UnknownOption
from hub_agents.science.source import science_row
from tests import need
from tests.plugins.hub_agents.conftest import finish

need.distribution("pint")
ID = "hub:agent/Science-v0"


def test_a_problem_is_computed_in_the_sandbox_and_answered(sandboxed: dict[str, str]) -> None:
    env = gymnasium.make(ID, areas=["mechanics"], sandbox=sandboxed)
    prompt, _ = env.reset(options={"task": 1})
    height = float(prompt.split("height of ")[1].split(" m")[0])
    code = f"import math; print(math.sqrt(2 * {height} / 9.81))"
    call = json.dumps({"name": "python", "arguments": {"code": code}})
    seconds = float(env.step(f"<tool_call>{call}</tool_call>")[0])
    _, reward, terminated, _, info = env.step(finish(f"{seconds * 1000:.5g} ms"))
    assert (reward, terminated, info["verdict"]) == (1.0, True, "right")
    env.close()


@pytest.mark.parametrize(
    "row",
    [
        {"problem": "P", "answer": "9.8 m/s^2"},
        {"prompt": "P", "answer": 9.8, "unit": "m/s^2", "rtol": 0.05},
        {"prompt": "P", "answer": "9.8 m/s^2", "unit": "\\mathrm{m/s^2}", "note": None},
        {
            "domain": "Physics",
            "problem": "P",
            "matched_solution": "so \\boxed{9.8\\ \\mathrm{m/s^2}}",
        },
        {
            "domain": "Physics",
            "problem": "P",
            "r1_response": "R",
            "r1_reasoning_content": "so \\boxed{1}",
            "extract_solution": "so \\boxed{9.8\\ \\mathrm{m/s^2}}",
        },
    ],
    ids=["own", "unit apart", "unit twice", "SCP-116K", "SCP-116K, second edition"],
)
def test_a_row_of_a_known_shape_is_a_task(row: dict[str, Any]) -> None:
    task = science_row(row, "file row 2")
    assert (task.id, task.data["answer"], task.data["unit"]) == ("2", 9.8, "m/s^2")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"problem": "P", "answer": "about ten"}, "expected a value with a unit"),
        ({"problem": "P", "solution": "ten"}, "no boxed one"),
        ({"problem": "P", "answer": 1, "rtol": 2}, "rtol 2"),
        ({"problem": "P", "answer": "9.81 blorg"}, "'9.81 blorg': the unit 'blorg' cannot be read"),
        ({"problem": "P", "answer": 9.81, "unit": "blorg"}, "the unit 'blorg' cannot be read"),
        ({"problem": "P", "answer": 9.81, "unit": 5}, "unit 5: expected a unit"),
        ({"problem": "P", "answer": "9.81 km", "unit": "m"}, "unit 'm': the answer '9.81 km'"),
        ({"problem": "P", "answer": float("nan")}, "expected a text in 'answer'"),
        ({"problem": "P", "answer": 1, "tolerance": 0.1}, "'tolerance' .did you mean 'rtol'"),
        ({"promt": "P", "answer": 1}, "'promt' .did you mean 'prompt'"),
        ({"problem": "P", "solution": "\\boxed{1}", "units": "m"}, "'units' .did you mean 'unit'"),
    ],
)
def test_a_row_that_is_no_task_is_refused(row: dict[str, Any], why: str) -> None:
    with pytest.raises(TaskError, match=f"file row 2.*{why}"):
        science_row(row, "file row 2")


def test_areas_do_not_choose_among_a_files_rows(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text(json.dumps([{"problem": "P", "answer": "1 m"}]))
    with pytest.raises(UnknownOption, match="areas"):
        gymnasium.make(ID, tasks=str(tmp_path / "own.json"), areas=["circuits"])


def test_gold_scores_and_neither_nothing_nor_cheats_do(sandboxed: dict[str, str]) -> None:
    found = validate(ID, k=1, limit=2, options={"sandbox": sandboxed})
    assert [one.reason for one in found] == ["", ""]
    assert len(found[0].trials) > 10
