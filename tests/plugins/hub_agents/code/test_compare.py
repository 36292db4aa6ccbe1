"""Answers are compared as plain data, where the program that gave them cannot reach."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_agents.code.compare import same, same_text, value_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (3, 3), (0.1, 0.1 + 1e-9), (2, 2.0), (2.0, 2), ([1, [2]], {"tuple": [1, [2]]}),
        ({"a": 1}, {"dict": [["a", 1]]}), ({"1": 2}, {"dict": [[1, 2]]}), (None, None), ("x", "x"),
    ],
)  # fmt: skip
def test_equal_values_are_the_same(expected: Any, value: Any) -> None:
    assert same(expected, value)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (1, True), (True, 1), (0, None), (None, 0), (1, "1"), ([], None), ([1], [1, 1]),
        ([1], {"set": [1]}), (3, {"other": "3"}), ({"a": 1}, {"dict": []}), ("a", ["a"]),
        ({"a": 1}, {"dict": [["a", 1], ["a", 1]]}), (1.0, 10**400), (1.0, float("nan")),
    ],
)  # fmt: skip
def test_others_are_not(expected: Any, value: Any) -> None:
    assert not same(expected, value)


@pytest.mark.parametrize(
    ("text", "equal"),
    [
        ("1 2.5\nok\n", True), ("1 2.5  \nok\n\n\n", True), ("1 2.5000001\nok", True),
        ("1 2.6\nok", False), ("1.0 2.5\nok", False), ("1 2.5 ok", False), ("", False),
    ],
)  # fmt: skip
def test_outputs_are_compared_word_by_word(text: str, equal: bool) -> None:
    assert same_text("1 2.5\nok\n", text) is equal


@pytest.mark.parametrize(
    "text",
    ["", "passed", "[1", '{"set": 3}', '{"a": 1, "b": 2}', '{"dict": [1]}', "[" * 100_000,
     '{"failed": "", "passed": 1000}\ntrue', "9" * 10_000],
)  # fmt: skip
def test_what_the_driver_cannot_have_written_is_no_answer(text: str) -> None:
    assert "failed" in value_of({"answer": text, "status": 0})


@given(JSON, JSON)
def test_comparing_any_two_values_gives_a_verdict(expected: Any, value: Any) -> None:
    assert same(expected, value) in (True, False)
