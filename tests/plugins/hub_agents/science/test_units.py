"""Values with units are read strictly and compared in any unit of the dimension."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_agents.science.units import judged, read
from tests import need

need.distribution("pint")


@pytest.mark.parametrize(
    ("text", "gold", "unit"),
    [
        ("9.81 m/s^2", 9.81, "m/s^2"),
        ("32.19 ft/s^2", 9.81, "m/s^2"),
        ("9.81\\,\\mathrm{m\\,s^{-2}}", 9.81, "m/s^2"),
        ("9.81 m s⁻²", 9.81, "m/s^2"),
        ("9.81 m/s2", 9.81, "m/s^2"),
        ("5 \\frac{m}{s}", 5, "m/s"),
        ("1 eV", 1.602e-19, "J"),
        ("$1.602\\times 10^{-19}$ J", 1.602e-19, "J"),
        ("v = 18 km/h", 5, "m/s"),
        ("25 °C", 298.15, "K"),
        ("12,345.6 m", 12345.6, "m"),
        ("5 %", 0.05, ""),
        ("4.7 kΩ", 4700, "ohm"),  # the sign that models write
        ("5 kg m^2/s^2", 5, "J"),
        (".5 h", 30, "minute"),
    ],
)
def test_the_right_value_in_any_unit_is_right(text: str, gold: float, unit: str) -> None:
    assert judged(text, gold, unit, 0.01) == (True, "right")


@pytest.mark.parametrize(
    ("text", "gold", "unit", "why"),
    [
        ("1 W", 1, "J", "does not fit"),
        ("5", 5, "m", "does not fit"),
        ("5 m", 5, "", "does not fit"),
        ("5.2 m", 5, "m", "off by 4 %"),
        ("5 blorps", 5, "m", "cannot be read"),
        ("1 to 9 m", 5, "m", "not a value"),
        ("nan m", 5, "m", "not a value"),
        ("1e999 m", 5, "m", "not a value"),
        ("5 m^9^9^9^9", 5, "m", "not a value"),
        ("__import__('os')", 5, "m", "not a value"),
        ("9**9**9**9", 5, "", "not a value"),
        ("5 " + "m*" * 1_000_000 + "m", 5, "m", "not a value"),
    ],
)
def test_anything_else_is_wrong_at_once(text: str, gold: float, unit: str, why: str) -> None:
    began = time.monotonic()
    right, reason = judged(text, gold, unit, 0.01)
    assert not right
    assert why in reason
    assert time.monotonic() - began < 2


@given(st.floats(-1e30, 1e30, allow_nan=False), st.sampled_from(["m", "kg m^2/s^2", ""]))
def test_a_value_is_read_as_it_was_written(value: float, unit: str) -> None:
    assert read(f"{value!r} {unit}") == (value, unit)


@pytest.mark.parametrize("end", ["!", "", ")", "^"])
@pytest.mark.parametrize(
    "text",
    ["a " * 57, " " * 110, "(" * 55 + "a" + ")" * 55, "a  " * 38, "1 " * 57, "a)  " * 28,
     "a*" * 57, "^" * 110, "\\frac{" * 18, "a" + " ( " * 38, "⁻²" * 55, "m^9/" * 28],
)  # fmt: skip
def test_no_text_takes_long_to_refuse(text: str, end: str) -> None:
    began = time.monotonic()
    judged(f"5 {text}{end}", 5, "m", 0.01)
    assert time.monotonic() - began < 2


@given(st.text(alphabet="a1m ()^*/-+.eE{}\\", max_size=110))
def test_texts_of_a_units_characters_are_judged_in_no_time(text: str) -> None:
    began = time.monotonic()
    judged(f"5 {text}", 5, "m", 0.01)
    assert time.monotonic() - began < 2


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    assert judged(text, 1.0, "m", 0.01)[1]
    assert judged(f"1 {text}", 1.0, "m", 0.01)[1]
