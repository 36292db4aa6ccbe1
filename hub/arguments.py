"""Checks of the arguments that environments take: whole numbers, switches and actions."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from hub.errors import InvalidAction

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


def dense(actions: Any) -> npt.NDArray[Any]:
    """Return `actions` as a plain array.

    Raises:
        TypeError: It is a masked array; its mask would be lost.
    """
    if isinstance(actions, np.ma.MaskedArray):
        raise TypeError(
            "actions are a masked array: every lane needs an action, expected a plain array; "
            "fill the masked ones with actions.filled(value)"
        )
    return np.asarray(actions)


def cast_actions(actions: npt.NDArray[Any], wanted: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return `actions` C-contiguous in the dtype `wanted`, every whole number unchanged.

    Raises:
        TypeError: The dtype is of another kind (floats for whole numbers).
        InvalidAction: A whole number is none of `wanted`'s; the message names it and its lane.
    """
    if not np.can_cast(actions.dtype, wanted, "same_kind"):
        raise TypeError(f"actions of dtype {actions.dtype}: expected {wanted}")
    if np.issubdtype(wanted, np.integer) and not np.can_cast(actions.dtype, wanted):
        limits = np.iinfo(wanted)
        wrong = (actions < limits.min) | (actions > limits.max)
        if wrong.any():
            place = tuple(np.argwhere(wrong)[0])
            lane = f" of lane {place[0]}" if place else ""
            raise InvalidAction(
                f"action {actions[place]}{lane}: expected {wanted}, "
                f"{limits.min} to {limits.max}; nothing was stepped"
            )
    return np.ascontiguousarray(actions, wanted)


def _words(most: int) -> str:
    return {INT32_MAX: "2**31 - 1", INT64_MAX: "2**63 - 1"}.get(most, str(most))
