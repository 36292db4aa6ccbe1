from dataclasses import replace
from typing import Any

import pytest

from hub_agents.swe import commands, guards, logged, rows
from hub_agents.swe.commands import Log
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.instance import Instance
from hub_agents.swe.runner import Broken
from tests.plugins.hub_agents.swe import tiny

TESTS = "class T:\n    def test_a(self): assert f(1) == 2\n\n\ndef test_b(): assert f(2) == 3\n"


def instance(parser: str = "pytest", **more: Any) -> Instance:
    one = rows.instance(tiny.swe_bench_row("me/x"), "row 1")
    return replace(one, log_parser=parser, **more)


@pytest.mark.parametrize(
    ("parser", "tests"),
    [
        ("pytest", ("t.py::T::test_a[1]", "t.py::T::test_a[2]", "t.py::test_b")),
        ("pytest-r2e", ("T.test_a[1]", "T.test_a[2]", "test_b")),
        ("unittest", ("test_a (t.T)", "test_a (t.T.test_a)")),
        ("sympy", ("test_b",)),
    ],
)
def test_the_functions_of_tests_are_told_by_their_names(parser: str, tests: tuple[str]) -> None:
    one = instance(parser, fail_to_pass=tests, pass_to_pass=("unknown",))
    found = {f.name: f.tests for f in guards.functions(one, {"t.py": TESTS, "bad.py": "def f(:"})}
    expected = {"t.py::T::test_a": tests[:2], "t.py::test_b": tests[-1:]}
    for name, own in found.items():
        assert own == expected[name]
    assert sum(map(len, found.values())) == len(tests)


def test_two_functions_of_one_name_are_not_told_apart() -> None:
    one = instance("sympy", fail_to_pass=("test_b",), pass_to_pass=())
    assert guards.functions(one, {"t.py": TESTS, "u.py": TESTS}) == []


def test_an_instance_that_can_have_no_decoys_is_left_as_it_is() -> None:
    from hub.dialogue import SandboxOptions

    for one in (instance("go"), instance(gold_patch="")):
        assert guards.guarded(one, SandboxOptions()) is one


def decoy(function: str, *tests: str, says: str = "wrong") -> Decoy:
    named = tuple((test, test) for test in tests)
    return Decoy(function, "t.py", ((0, 1, "x"),), "value", says, named)


def test_each_function_holds_in_one_sandbox_and_fails_in_the_other() -> None:
    put = [decoy(f"t.py::{name}", says=says) for name in "cab" for says in ("right", "wrong")]
    one, other = logged.rounds(put)
    assert {(d.function, d.holds) for d in one} == {
        ("t.py::a", False),
        ("t.py::b", True),
        ("t.py::c", False),
    }
    assert {(d.function, d.holds) for d in other} == {(d.function, not d.holds) for d in one}
    assert logged.rounds([]) == [[]]


def test_a_row_gets_forms_that_leave_the_names_of_its_tests_alone() -> None:
    text = (
        "@pytest.mark.parametrize('x', [1, 2])\n"
        "def test_b(x):\n    assert f(x) == x\n    assert g() == 'abc'\n"
    )
    function = guards.Function("t.py::test_b", ("t.py::test_b[1]",))
    pairs = guards._pairs(instance(), function, text)
    assert pairs
    for holding, failing in pairs:
        assert (holding.holds, failing.holds) == (True, False)
        assert not holding.renames


def graded(results: dict[str, str], *put: Decoy, doubt: str = "") -> tuple[float | None, str]:
    one = instance(fail_to_pass=("f", "g"), pass_to_pass=("p",))
    grade = logged.graded(one, Log(results, doubt, ""), put)
    return grade.reward, grade.reason


GOOD = {"f": "PASSED", "g": "PASSED", "p": "PASSED"}


def test_a_log_is_graded_by_every_test() -> None:
    assert graded(GOOD) == (1.0, "3 tests passed")
    assert graded({**GOOD, "p": "XFAIL"})[0] == 1.0
    assert graded({**GOOD, "f": "XFAIL"}) == (0.0, "f: XFAIL")
    assert graded({**GOOD, "p": "SKIPPED"}) == (0.0, "p: SKIPPED")
    assert graded({"f": "PASSED"}) == (0.0, "g: not reported, and 1 more")
    assert graded({**GOOD, "f": "FAILED"}, doubt="odd") == (0.0, "f: FAILED; odd")


def test_a_log_of_passes_that_the_exit_status_contradicts_is_a_broken_run() -> None:
    with pytest.raises(Broken, match="ended with 1"):
        graded(GOOD, doubt="ended with 1")


def test_a_decoy_must_fail_and_stands_for_its_tests() -> None:
    put = decoy("t.py::f", "f")
    assert graded({**GOOD, "f": "FAILED"}, put)[0] == 1.0
    assert graded(GOOD, put) == (0.0, "forged: a test that cannot pass did (f)")
    assert graded({**GOOD, "f": "FAILED", "g": "FAILED"}, put) == (0.0, "g: FAILED")
    opposite = decoy("t.py::f", "f", says="not right")
    assert graded(GOOD, opposite) == (0.0, "f: FAILED, as its opposite passes")
    holds = decoy("t.py::f", "f", says="not wrong")
    assert graded(GOOD, holds)[0] == 1.0
    assert graded({**GOOD, "f": "FAILED"}, holds) == (0.0, "f: FAILED")


def test_the_files_of_the_hidden_tests_stand_for_tests() -> None:
    one = instance(test_patch="", tests={"tests/test_b c.py": "", "tests/conftest.py": ""})
    assert commands.named(one) == "'tests/test_b c.py'"
    assert commands.named(replace(one, tests={})) == "tests/test_sums.py"
