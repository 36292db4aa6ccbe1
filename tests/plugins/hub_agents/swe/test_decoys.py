"""Decoys: edits of tests, put into their files and read from JSON."""

from __future__ import annotations

import json

import pytest

from hub.errors import TaskError
from hub_agents.swe.decoys import Decoy, edited, function_of
from hub_agents.swe.forms import candidates

PATH = "tests/test_x.py"


def test_edits_of_one_file_go_together_and_never_overlap() -> None:
    source = "def test_a():\n    assert f() == 1\ndef test_b():\n    assert f() == 2\n"
    one, other = (candidates(f"{PATH}::{name}", source)[0][2] for name in ("test_a", "test_b"))
    assert edited(source, [one, other]) == edited(source, [other, one])
    with pytest.raises(TaskError, match="overlap"):
        edited(source, [one, one])
    with pytest.raises(TaskError, match="outside"):
        edited("", [one])


def test_a_decoy_survives_json_and_bad_json_is_refused() -> None:
    decoy = Decoy("t.py::a", "t.py", ((1, 2, "x"),), "value", "wrong", (("t.py::a", "t.py::a"),))
    assert Decoy.from_json(decoy.to_json()) == decoy
    assert Decoy.from_json(json.loads(json.dumps(decoy.to_json()))) == decoy
    with pytest.raises(TaskError, match="edits"):
        Decoy.from_json({"function": "a"})
    with pytest.raises(TaskError, match="says 'maybe', expected one of right"):
        Decoy.from_json({**decoy.to_json(), "says": "maybe"})


def test_parameters_do_not_belong_to_a_functions_name() -> None:
    assert function_of("t.py::A::test_x[a::b-[c]]") == "t.py::A::test_x"
    assert function_of("t.py::test_x") == "t.py::test_x"
