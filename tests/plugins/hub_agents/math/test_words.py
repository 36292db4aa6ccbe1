"""Answers of words are compared literally; what could be a product of variables is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.dialogue import ListSource, Task
from hub_agents.math.domain import MathDomain
from hub_agents.math.words import words
from tests import need


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("even", ("even",)),
        ("\\text{No solution.}", ("no", "solution")),
        ("\\text{(Evelyn)}", ("evelyn",)),
        ("the proof, as is, is trivial", ("the", "proof", "as", "is", "is", "trivial")),
        ("non-negative", ("non", "negative")),
        ("A", ()),
        ("\\text{(A)}", ()),
        ("xy", ()),
        ("abc", ()),
        ("-abc", ()),
        ("x, y", ()),
        ("2 apples", ()),
        ("\\sin x", ()),
        ("", ()),
    ],
)
def test_words_are_found_where_there_is_nothing_else(answer: str, found: tuple[str, ...]) -> None:
    assert words(answer) == found


@given(st.text(alphabet="aZé \\{}.,-'()1text"))
def test_any_text_is_read(text: str) -> None:
    assert all(word and word == word.casefold() for word in words(text))


@pytest.mark.parametrize(
    ("gold", "answer", "reward"),
    [
        ("even", "\\text{Even}", 1.0),
        ("even", "neve", 0.0),
        ("\\text{no solution}", "No solution.", 1.0),
        ("\\text{no solution}", "0", 0.0),
        ("\\text{(A)}", "A", 1.0),
        ("abc", "bca", 1.0),
        # math-verify makes every symbol's letter small.
        ("x^2", "X^2", 1.0),
    ],
)
def test_words_are_right_as_words_alone(gold: str, answer: str, reward: float) -> None:
    need.distribution("math-verify")
    task = Task("1", "P", {"answer": gold, "form": "closed"})
    assert MathDomain(ListSource([task], "one")).judge(task, answer).reward == reward
