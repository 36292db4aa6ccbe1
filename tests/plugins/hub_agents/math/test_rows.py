"""A user's own rows and published ones become tasks, or are refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from hub.errors import TaskError
from hub_agents.math.rows import math_row

EURUS = {
    "data_source": "numina",
    "ability": "math",
    "prompt": [
        {"role": "system", "content": "Think."},
        {"role": "user", "content": "What is 1/2 + 1/2?"},
    ],
    "reward_model": {"ground_truth": "1", "style": "rule"},
}


@pytest.mark.parametrize(
    ("row", "prompt", "answer"),
    [
        ({"prompt": "1+1?", "answer": 2, "form": "number"}, "1+1?", "2"),
        ({"problem": "P", "answer": "-\\frac{2}{3}", "solution": "S"}, "P", "-\\frac{2}{3}"),
        ({"problem": "P", "solution": "so \\boxed{5}."}, "P", "5"),
        (EURUS, "What is 1/2 + 1/2?", "1"),
        (
            {"problem": "P", "answer": "no solution", "solution": "S", "level": 5},
            "P",
            "no solution",
        ),
    ],
    ids=["own", "DeepScaleR", "boxed", "Eurus-2", "words"],
)
def test_a_row_of_a_known_shape_is_a_task(row: dict[str, Any], prompt: str, answer: str) -> None:
    task = math_row(row, "file row 3")
    assert (task.id, task.prompt, task.data["answer"]) == ("3", prompt, answer)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"answer": "1"}, "'prompt' or 'problem' or 'question'"),
        ({"problem": "P"}, "'matched_solution' or 'extract_solution' or 'solution'"),
        ({"problem": "P", "solution": "five"}, "no boxed one"),
        ({"problem": "P", "answer": "\\boxed{1}\\boxed{2}"}, "2 different"),
        ({"problem": "P", "answer": "1", "form": "any"}, "form 'any'"),
        ({**EURUS, "ability": "code"}, "ability 'code'"),
        ({"prompt": "P", "answer": "the proof is trivial"}, "expected mathematics, or at most 3"),
        ({"prompt": "P", "answer": "trivial", "form": "number"}, "not stand in the form 'number'"),
        ({"prompt": "P", "answer": "x(x+1)", "form": "expanded"}, "in the form 'expanded'"),
        ({"prompt": "P", "answer": "\\int_0^1 x dx"}, "in the form 'closed'"),
        ({"prompt": "P", "answer": "1", "forms": "number"}, "'forms' .did you mean 'form'"),
        ({**EURUS, "forms": "number"}, "'forms' .did you mean 'form'"),
    ],
)
def test_a_row_that_is_no_task_is_refused(row: dict[str, Any], why: str) -> None:
    with pytest.raises(TaskError, match=f"file row 3.*{why}"):
        math_row(row, "file row 3")


def test_columns_of_a_datasets_own_are_left_alone() -> None:
    row = {"problem": "P", "answer": "1", "url": "u", "year": 2024, "level": 5, "answers": ["1"]}
    assert math_row(row, "file row 1").data["answer"] == "1"
