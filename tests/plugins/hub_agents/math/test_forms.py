"""The form that an answer must have keeps a question from being its own answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_agents.math.forms import LENGTH, POWERS, explodes, fits, tidy


@pytest.mark.parametrize(
    "answer",
    [
        "7",
        "-7",
        "+7.50",
        "1,234,567",
        "3/4",
        "-\\frac{3}{4}",
        "$\\dfrac{3}{4}$",
        "x = 7",
        "7.",
        "50\\%",
    ],
)
def test_a_number_is_a_literal(answer: str) -> None:
    assert fits("number", tidy(answer))


@pytest.mark.parametrize(
    "answer",
    ["4 - 1 - 7", "2^3", "\\sqrt{4}", "(7)(8)", "x", "", "1e5", "1,23", "7 or 8", "-", "\\%"],
)
def test_an_expression_is_no_number(answer: str) -> None:
    assert not fits("number", tidy(answer))


@pytest.mark.parametrize("answer", ["-896*x**4 + 3*x", "3x - \\frac{5x^{2}}{4} + C", "7", "x^{-1}"])
def test_a_sum_of_monomials_is_expanded(answer: str) -> None:
    assert fits("expanded", tidy(answer))


@pytest.mark.parametrize(
    "answer",
    ["(x+1)*(x+2)", "{x+1}{x+2}", "\\frac{x+1}{1}x", "\\int x dx", "[x+1][x+2]", "expand"],
)
def test_what_is_left_to_multiply_or_integrate_is_not(answer: str) -> None:
    assert not fits("expanded", tidy(answer))


def test_a_closed_form_computes_no_series_and_no_integral() -> None:
    assert fits("closed", tidy("\\frac{\\pi}{2} + \\sqrt{3}"))
    assert not fits("closed", tidy("\\int_0^1 x dx"))
    assert not fits("closed", tidy("\\sum_{n=1}^{9} n"))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("9^{9^{9^{9}}}", "3 powers"),
        ("9**9**9**9", "3 powers"),
        ("2^2^2^2", "3 powers"),
        ("\\int_0^1 x^{x^{(x^x)}}dx", "3 powers"),
        ("(10^{10})!", "a factorial"),
        ("((3!)!)!", "a factorial"),
        ("5!!!", "a factorial"),
        ("99999!", "a factorial"),
        ("7" * 5000 + "\\!!", "a factorial"),
        ("10^{-100000000}", "more than 5 digits"),
        ("2^999999", "more than 5 digits"),
        ("2^{10^{10}}", "an exponent above 10^6"),
        ("2**10**10", "an exponent above 10^6"),
        ("2^{3 \\cdot 10^{7}}", "an exponent above 10^6"),
        ("2^{(10)^{10}}", "an exponent above 10^6"),
        ("1" * (LENGTH + 1), "characters"),
    ],
)
def test_what_computes_an_immense_number_is_told_before_it_is_computed(
    answer: str, words: str
) -> None:
    assert words in explodes(tidy(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "e^{-x^{2}/(2s^{2})}",
        "x^2y^3z^4",
        "2^{3}5^{4}7^{2}",
        "2^{10^6}",
        "(2^{10})^{10}",
        "e^{10^{-10}}",
        "e^{2x^{30}}",
        "7^{2025} - x^{2^{n}}",
        "\\frac{2025!}{(n+1)! \\cdot 7!!}",
        "x\\!+\\!y^{99999}",
        "1" * LENGTH,
    ],
)
def test_what_mathematicians_write_explodes_not(answer: str) -> None:
    assert not explodes(tidy(answer))


@given(st.text(alphabet="09^{}()!x+-\\\\ *|"))
def test_any_text_is_judged(text: str) -> None:
    assert isinstance(explodes(text), str)


@given(st.lists(st.sampled_from(["{}", "()"]), max_size=8), st.sampled_from(["", "-", "2+", "x"]))
def test_a_tower_explodes_from_its_third_power_on(groups: list[str], before: str) -> None:
    tower = "2"  # of small powers: only their number counts here
    for left, right in groups:
        tower = f"2^{left}{before}{tower}{right}+1"
    assert bool(explodes(tower)) == (len(groups) >= POWERS)
