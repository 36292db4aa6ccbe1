"""One answer is read from a text, or none."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_agents.answers import AnswerError, stated


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("7", "7"),
        ("So it is \\boxed{7}.", "7"),
        ("\\boxed{\\frac{1}{2}} and again \\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("first \\boxed{3} then \\boxed{unclosed", "3"),
    ],
)
def test_the_box_or_the_whole_text_is_the_answer(text: str, answer: str) -> None:
    assert stated(text) == answer


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "no answer"),
        ("  ", "no answer"),
        ("\\boxed{}", "no answer"),
        ("\\boxed{1}\\boxed{2}", "2 different"),
        ("9" * 1_000_000, "at most 1000"),
        ("\\boxed{" * 100_000, "at most 1000"),
    ],
)
def test_none_several_or_a_huge_one_is_no_answer(text: str | None, why: str) -> None:
    began = time.monotonic()
    with pytest.raises(AnswerError, match=why):
        stated(text)
    assert time.monotonic() - began < 2


@given(st.text(alphabet="\\boxed{}12 ", max_size=60))
def test_any_text_gives_an_answer_or_an_answer_error(text: str) -> None:
    with contextlib.suppress(AnswerError):
        assert stated(text)
