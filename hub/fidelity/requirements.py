"""Checks of a declaration's values."""

from __future__ import annotations

from hub.errors import DeclarationError


def require(holds: bool, what: str, value: object, expected: str) -> None:
    """Raise a `DeclarationError` that names the value and what was expected, unless `holds`."""
    if not holds:
        raise DeclarationError(f"{what} is {value!r}; expected {expected}")


def at_least(what: str, value: int, least: int) -> None:
    """Require a size of at least `least`."""
    require(value >= least, what, value, f"at least {least}")


def unique(what: str, names: list[str]) -> None:
    """Require that no name stands twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    require(not twice, f"the name of more than one {what}", twice, "unique names")
