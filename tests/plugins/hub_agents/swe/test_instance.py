import json
from dataclasses import replace

import pytest

from hub.errors import TaskError
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.instance import Instance

INSTANCE = Instance(
    id="x-1",
    source="mined",
    repo="x",
    base={"kind": "sdist", "package": "x", "version": "1", "sha256": "0" * 64},
    problem="It is broken.",
    fail_to_pass=("tests/test_x.py::test_a",),
    pass_to_pass=(),
    tests={"tests/test_x.py": "def test_a(): ...\n"},
)


def test_an_instance_survives_json():
    assert INSTANCE.to_json()["schema"] == "hub.swe.instance/1"
    assert Instance.from_json(json.loads(json.dumps(INSTANCE.to_json()))) == INSTANCE


@pytest.mark.parametrize(
    ("change", "named"),
    [({"schema": "other/9"}, "other/9"), ({"gold": ""}, "'gold'"), ({"fail_to_pass": []}, "empty")],
)
def test_what_is_no_instance_is_refused_by_name(change, named):
    with pytest.raises(TaskError, match=named):
        Instance.from_json({**INSTANCE.to_json(), **change})


def test_a_missing_field_is_named():
    value = INSTANCE.to_json()
    del value["problem"]
    with pytest.raises(TaskError, match="problem"):
        Instance.from_json(value)


def test_an_instance_whose_tests_have_no_decoy_is_refused():
    value = replace(INSTANCE, log_parser="hub_report").to_json()
    with pytest.raises(TaskError, match=r"x-1: no fail_to_pass test has a decoy that must fail"):
        Instance.from_json(value)
    test = INSTANCE.fail_to_pass[0]
    decoy = Decoy(test, "tests/test_x.py", ((0, 0, ""),), "value", "wrong", ((test, test),))
    guarded = Instance.from_json({**value, "decoys": [decoy.to_json()]})
    assert len(guarded.decoys) == 1
    holding = {**decoy.to_json(), "says": "right"}
    with pytest.raises(TaskError, match="no fail_to_pass test has a decoy"):
        Instance.from_json({**value, "decoys": [holding]})
