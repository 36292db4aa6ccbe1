"""Checks of the arguments that environments take: whole numbers and switches."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


def whole(name: str, value: Any, most: int = INT64_MAX) -> int:
    """Return `value` as a Python int; NumPy's integers count, bools do not.

    Args:
        name: Of the argument, for the message.
        value: What the caller gave.
        most: The largest number allowed; the smallest is 1.

    Raises:
        ValueError: It is no whole number from 1 to `most`.
    """
    refused = ValueError(f"{name} {value!r}: expected a whole number from 1 to {_words(most)}")
    if isinstance(value, bool):
        raise refused
    try:
        number = operator.index(value)
    except TypeError:
        raise refused from None
    if not 1 <= number <= most:
        raise refused
    return number


def whole_or_none(name: str, value: Any, most: int = INT64_MAX) -> int | None:
    """Return `value` as `whole` does, or None as it is.

    Raises:
        ValueError: It is neither None nor a whole number from 1 to `most`.
    """
    return None if value is None else whole(name, value, most)


def switch(name: str, value: Any) -> bool:
    """Return `value`, Python's or NumPy's bool, as a Python bool.

    Raises:
        ValueError: It is no bool.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} {value!r}: expected True or False")
    return bool(value)


def _words(most: int) -> str:
    return {INT32_MAX: "2**31 - 1", INT64_MAX: "2**63 - 1"}.get(most, str(most))
