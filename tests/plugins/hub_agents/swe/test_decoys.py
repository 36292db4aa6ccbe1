"""Decoys: edits of tests that are found by the syntax tree alone."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import TaskError
from hub_agents.swe.decoys import Decoy, candidates, edited, function_of

PATH = "tests/test_x.py"


def forms(source: str, function: str = "test_a") -> list[tuple[str, str]]:
    """Return kind and whole text of each candidate."""
    name = f"{PATH}::{function}"
    return [(d.kind, edited(source, [d])) for d in candidates(name, source)]


MADE = {
    "assert f(1) == 'ab'": {"assert f(1) == 'ac'", "assert not (f(1) == 'ab')"},
    "assert f() == 9": {"assert f() == 10", "assert not (f() == 9)"},
    "assert f() is True": {"assert f() is False", "assert not (f() is True)"},
    "assert f() == x": {"assert f() == (x) + (x)", "assert not (f() == x)"},
    "assert b'a' == f()": {
        "assert b'a' == (f()) + (f())", "assert b'b' == f()", "assert not (b'a' == f())"
    },
    "assert f()": {"assert not (f())"},
    "self.assertTrue(f())": {"self.assertFalse(f())"},
    "self.assertEqual(f(), None)": {"self.assertEqual(f(), '')", "self.assertNotEqual(f(), None)"},
    "self.assertNotIn(1, f())": {"self.assertIn(1, f())"},
    "with pytest.raises(ValueError): f()": {"with pytest.raises(ZeroDivisionError): f()"},
    "self.assertRaises(ZeroDivisionError, f)": {"self.assertRaises(KeyError, f)"},
    "f()": set(),
    "check(1, [Data(b'x')])": {"check(1, [Data(b'y')])"},
    "check(1, Data(f'x{1}'))": set(),
}  # fmt: skip


@pytest.mark.parametrize("line", MADE)
def test_expectations_are_made_wrong(line: str) -> None:
    source = "def test_a(self):\n    {}\n"
    assert {text for _, text in forms(source.format(line))} == {
        source.format(text) for text in MADE[line]
    }


def test_every_constant_of_a_literal_is_a_candidate_the_last_first() -> None:
    found = forms("def test_a():\n    assert f() == {'a': [1, 'é'], 'b': None}\n")
    assert [text.split(" == ")[1].strip() for kind, text in found if kind == "value"] == [
        "{'a': [1, 'é'], 'b': ''}",
        "{'a': [1, 'é'], 'c': None}",
        "{'a': [1, 'és'], 'b': None}",
        "{'a': [2, 'é'], 'b': None}",
        "{'b': [1, 'é'], 'b': None}",
    ]


def test_methods_and_the_last_of_two_definitions_are_found() -> None:
    source = (
        "class A:\n    def test_a(self):\n        assert é() == 1\n"
        "def test_a():\n    assert f() == 1\ndef test_a():\n    assert f() == 2\n"
    )
    assert "assert é() == 2\n" in forms(source, "A::test_a")[0][1]
    assert forms(source)[0][1].endswith("assert f() == 3\n")
    assert forms(source, "test_none") == []
    assert forms("def test_a(:\n") == []


def test_edits_of_one_file_go_together_and_never_overlap() -> None:
    source = "def test_a():\n    assert f() == 1\ndef test_b():\n    assert f() == 2\n"
    one, other = (candidates(f"{PATH}::{name}", source)[0] for name in ("test_a", "test_b"))
    assert edited(source, [one, other]) == edited(source, [other, one])
    with pytest.raises(TaskError, match="overlap"):
        edited(source, [one, one])
    with pytest.raises(TaskError, match="outside"):
        edited("", [one])


def test_a_decoy_survives_json_and_bad_json_is_refused() -> None:
    decoy = Decoy("t.py::a", "t.py", 1, 2, "x", "value", ("t.py::a",))
    assert Decoy.from_json(decoy.to_json()) == decoy
    with pytest.raises(TaskError, match="fails"):
        Decoy.from_json({"function": "a"})


def test_parameters_do_not_belong_to_a_functions_name() -> None:
    assert function_of("t.py::A::test_x[a::b-[c]]") == "t.py::A::test_x"
    assert function_of("t.py::test_x") == "t.py::test_x"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(VALUES, TEXTS)
def test_every_wrong_value_differs_and_the_code_stays_code(value: object, comment: str) -> None:
    noise = comment.replace("\n", " ").replace("\r", " ").replace("\x0c", " ").replace("\0", "")
    source = f"# {noise}\ndef test_a():\n    x = {noise!r}; assert f(x) == {value!r}\n"
    for kind, text in forms(source):
        check = ast.parse(text).body[0].body[-1]  # type: ignore[attr-defined]  # a function
        if kind == "value":
            assert ast.literal_eval(check.test.comparators[0]) != value
