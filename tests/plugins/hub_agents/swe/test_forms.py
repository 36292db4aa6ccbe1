"""Forms of tests: four of a group, printed alike, that only the right answer tells apart."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_agents.swe.decoys import SAYS, Decoy, edited
from hub_agents.swe.forms import candidates

PATH = "tests/test_x.py"


def groups(source: str, function: str = "test_a", **known: str) -> list[list[Decoy]]:
    return candidates(f"{PATH}::{function}", source, **known)


def lines(source: str, group: list[Decoy]) -> list[str]:
    """Return the last line of each form."""
    return [edited(source, [one]).rstrip("\n").split("\n")[-1].strip() for one in group]


MADE = {
    "assert f(1) == 3": ["assert f(1) == 3", "assert f(1) != W", "assert f(1) == W",
                         "assert f(1) != 3"],
    "assert (f() is True), 'm'": ["assert f() is True, 'm'", "assert f() is not False, 'm'",
                                  "assert f() is False, 'm'", "assert f() is not True, 'm'"],
    "assert b'abc' in f()": ["assert b'abc' in f()", "assert W not in f()", "assert W in f()",
                             "assert b'abc' not in f()"],
    "self.assertListEqual(f(), [7])": [
        "self.assertEqual(f(), [7])", "self.assertNotEqual(f(), [W])",
        "self.assertEqual(f(), [W])", "self.assertNotEqual(f(), [7])"],
    "assert f(1)": ["assert f(1)", "assert not f(1)"],
    "self.assertTrue(f())": ["self.assertTrue(f())", "self.assertFalse(f())"],
}  # fmt: skip


@pytest.mark.parametrize("line", MADE)
def test_each_value_is_asked_for_and_ruled_out_in_one_style(line: str) -> None:
    source = f"x = [1, 8, b'xyz', 'far']\ndef test_a(self):\n    {line}\n"
    group = groups(source)[0]
    found = lines(source, group)
    wrong = {d.says: text for d, text in zip(group, found, strict=True)}
    assert [one.holds for one in group] == (
        [True, True, False, False] if len(group) == 4 else [True, False]
    )
    for text, wanted in zip(found, MADE[line], strict=True):
        head, _, tail = wanted.partition("W")
        assert text.startswith(head)
        assert text.endswith(tail)
    assert len(set(wrong.values())) == len(group)


def test_an_expected_exception_stands_among_others_with_and_without_the_right_one() -> None:
    source = "def test_a():\n    with pytest.raises(ValueError):\n        f()\n"
    group = groups(source)[0]
    assert [one.says for one in group] == list(SAYS)
    assert ["ValueError" in one.edits[0][2] for one in group] == [True, True, False, False]
    assert len({one.edits[0][2] for one in group}) == 4
    assert all(one.edits[0][2].count(",") == 1 for one in group)


def test_what_a_helper_is_given_is_ruled_out_by_its_failing() -> None:
    check = "def check(x, y):\n    assert f(x) == y\n\n"
    source = check + "def test_a():\n    if True:\n        check(1, 'ab')\n"
    group = groups(source)[0]
    spaces: list[dict[str, object]] = []
    for one in group:
        space: dict[str, object] = {"f": lambda x: "ab"}
        exec(edited(source, [one]), space)
        if one.holds:
            space["test_a"]()  # type: ignore[operator]  # a function
        else:
            with pytest.raises(AssertionError):
                space["test_a"]()  # type: ignore[operator]  # a function
        spaces.append(space)
    assert len(spaces) == 4


def test_a_name_is_changed_where_it_gets_its_value() -> None:
    source = "def test_a():\n    want = 'a bc'\n    assert f() == want\n"
    wrong = edited(source, [groups(source)[0][2]])
    assert wrong.endswith("    assert f() == want\n")
    assert "want = 'a bc'" not in wrong
    table = (
        "@pytest.mark.parametrize('x, y', [(1, 'ab'), (2, 'cd')])\n"
        "def test_a(x, y):\n    assert f(x) == y\n    assert g(x) == '-' + y\n"
    )
    right, not_wrong, wrong_one, not_right = groups(table, old="[(1, 'ab')]")[0]
    assert right.renames
    assert edited(table, [right]) == table
    text = edited(table, [not_wrong])
    assert "(1, 'ab')" in text  # the agent has this row
    assert "'cd'" not in text
    assert text.count("!=") == 2
    assert edited(table, [wrong_one]).count("!=") == 0
    assert "(2, 'cd')" in edited(table, [not_right])


def test_what_the_agent_has_goes_last() -> None:
    source = "def test_a():\n    assert f(1) == 11\n    assert f(2) == 12\n"
    assert "12" in groups(source)[0][0].edits[0][2]
    assert "11" in groups(source, old="assert f(2) == 12")[0][0].edits[0][2]


def test_a_wrong_value_shares_what_a_reader_sees_of_the_right_one() -> None:
    source = "def test_a():\n    assert f('<a> <b>') == '<b>'\nX = 'elsewhere'\n"
    wrong = ast.literal_eval(groups(source)[0][2].edits[0][2].split(" == ")[1])
    assert wrong in "<a> <b>"
    source = "def test_a():\n    assert f('abc xyz lmn') == 'lmn'\n"
    key = [groups(source, key=str(n))[0][2].edits[0][2] for n in range(9)]
    assert len(set(key)) > 1  # which one it is hangs on what the agent does not have


def test_methods_and_the_last_of_two_definitions_are_found() -> None:
    source = (
        "class A:\n    def test_a(self):\n        assert é() == 1\n"
        "def test_a():\n    assert f() == 5\ndef test_a():\n    assert f() == 7\n"
    )
    assert groups(source, "A::test_a")[0][0].edits[0][2] == "assert é() == 1"
    assert groups(source)[0][0].edits[0][2] == "assert f() == 7"
    assert groups(source, "test_none") == []
    assert groups("def test_a(:\n") == []


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
    for group in groups(source):
        for one in group:
            check = ast.parse(edited(source, [one])).body[0].body[-1]  # type: ignore[attr-defined]  # a function
            if one.kind == "value" and "x = " not in one.edits[0][2]:
                found = ast.literal_eval(check.test.comparators[0])
                assert (found == value) == (one.says in ("right", "not right"))
