"""Answers with units, read strictly and compared by pint."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any

from hub.errors import MissingDependency

LONGEST = 120  # code points of a value with its unit
_LATEX = (
    (re.compile(r"\^\{\s*([+-]?\d+)\s*\}"), r"^\1"),
    (re.compile(r"\\[,;:! ]|[$~]|\\\(|\\\)"), " "),
    (re.compile(r"\\(?:text|mathrm|mathit|rm|operatorname)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\(?:cdot|times)|[·⋅×]"), "*"),  # noqa: RUF001  # models write these signs
    (re.compile(r"\^?\s*\\circ\s*C\b|°\s*C\b"), " degC"),
    (re.compile(r"\^?\s*\\circ|°"), " degree"),
    (re.compile(r"\\Omega|[ΩΩ]"), "ohm"),
    (re.compile(r"\\mu\s*|[µμ]"), "micro"),
    (re.compile(r"\\?%"), " percent"),
)
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")  # noqa: RUF001  # so do they
_SUPERSCRIPT = re.compile(r"([⁻−]?[⁰¹²³⁴⁵⁶⁷⁸⁹])")  # noqa: RUF001  # so do they
_BARE_POWER = re.compile(r"(?<=[A-Za-z])([+-]?[2-9]|-1)(?!\w)")  # m/s2, s-1
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_VALUE = re.compile(
    r"(?:[A-Za-z]\w*\s*(?:=|≈)\s*)?"
    r"(?P<value>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)"
    r"(?:\s*\*\s*10\s*\^\s*(?P<power>[+-]?\d{1,3}))?\s*(?P<unit>.*)"
)
_SPACED_POWER = re.compile(r"\s*(?:\^|\*\*)\s*")
# Names with one small exponent each: nothing that pint could be made to compute. One token at a
# time, as a pattern for the whole of it can take exponential time to fail.
_TOKEN = re.compile(r"\s*(?:(?:[A-Za-z]+|1(?!\d))(?:\^(?:[+-]?\d|\([+-]?\d\))(?![\d^]))?|[*/()])")


def _is_unit(text: str) -> bool:
    """Tell whether `text` is made of a unit's tokens; in which order, pint finds out."""
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return False
        at = found.end()
    return True


def read(text: str) -> tuple[float, str] | None:
    """Return the value and the unit that `text` states, or None when it states no such pair."""
    if len(text) > LONGEST:
        return None
    text = _SUPERSCRIPT.sub(lambda m: "^" + m[1], text.strip().rstrip(".")).translate(_POWERS)
    text = text.replace("^^", "^")
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    found = _VALUE.fullmatch(_GROUPED.sub("", text).strip())
    if found is None:
        return None
    unit = _SPACED_POWER.sub("^", _BARE_POWER.sub(r"^\1", found["unit"].strip()))
    if not _is_unit(unit):
        return None
    try:
        value = float(found["value"]) * 10.0 ** int(found["power"] or 0)
    except OverflowError:
        return None
    return (value, unit) if math.isfinite(value) else None


def judged(text: str, gold: float, unit: str, rtol: float) -> tuple[bool, str]:
    """Tell whether `text` is `gold` `unit` within the relative tolerance, and say why not.

    Raises:
        MissingDependency: pint is absent.
    """
    stated = read(text)
    if stated is None:
        return False, "the answer is not a value with a unit"
    registry = _registry()
    try:
        given = registry.Quantity(stated[0], registry.parse_units(stated[1]))
        value = given.to(registry.parse_units(unit)).magnitude
    except registry.errors.DimensionalityError:
        return False, f"the unit {stated[1] or '(none)'!r} does not fit {unit or 'a number'!r}"
    # pint raises many kinds for a unit that it does not know or cannot combine.
    except Exception as error:
        return False, f"the unit {stated[1]!r} cannot be read ({type(error).__name__})"
    right = math.isclose(value, gold, rel_tol=rtol, abs_tol=0.0)
    return right, "right" if right else f"wrong: off by {_off(value, gold)}"


@lru_cache(maxsize=4096)
def unfit(unit: str) -> str:
    """Return why no answer could be judged in `unit`, which `read` returned, or an empty text.

    Raises:
        MissingDependency: pint is absent.
    """
    right, why = judged(f"1 {unit}", 1.0, unit, 0.01)
    return "" if right else why


def _off(value: float, gold: float) -> str:
    return f"{abs(value / gold - 1) * 100:.3g} %" if gold else f"{value:.3g}"


@lru_cache(maxsize=1)
def _registry() -> Any:
    try:
        import pint
    except ImportError as error:
        raise MissingDependency(
            f"Science-v0 needs pint ({error}). Fix: pip install pint"
        ) from error
    registry = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    registry.errors = pint.errors
    return registry
