"""Checks of the arguments that environments take: numbers, switches, modes and actions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

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


def autoreset(mode: Any) -> AutoresetMode:
    """Return the autoreset mode that `mode` means: a member, its value or its name.

    Raises:
        ValueError: It is none of them.
    """
    if isinstance(mode, str) and mode in AutoresetMode.__members__:
        return AutoresetMode[mode]
    try:
        return AutoresetMode(mode)
    except ValueError:
        values = ", ".join(repr(one.value) for one in AutoresetMode)
        names = ", ".join(AutoresetMode.__members__)
        raise ValueError(
            f"autoreset_mode {mode!r}: expected one of {values}, or its name ({names})"
        ) from None


def render_mode(mode: Any, modes: Sequence[str]) -> str | None:
    """Return `mode` if it is None or one of `modes`.

    Raises:
        ValueError: It is neither.
    """
    if mode is None or mode in modes:
        return None if mode is None else str(mode)
    known = ", ".join(map(repr, modes))
    raise ValueError(
        f"render_mode {mode!r}: expected {f'one of {known} or None' if known else None}"
    )


def warn_no_render_mode(modes: Sequence[str]) -> None:
    """Say, as Gymnasium's own environments do, that `render` has nothing to do."""
    gymnasium.logger.warn(
        "render() without a render mode does nothing; "
        f"pass render_mode=, one of {list(modes)}, to make()"
    )


def dense(actions: Any) -> npt.NDArray[Any]:
    """Return `actions` as a plain array.

    Raises:
        InvalidAction: It is a masked array, whose mask would be lost, or no array at all.
    """
    if isinstance(actions, np.ma.MaskedArray):
        raise InvalidAction(
            "actions are a masked array: every lane needs an action, expected a plain array; "
            "fill the masked ones with actions.filled(value)"
        )
    try:
        return np.asarray(actions)
    except ValueError:  # rows of unequal length
        raise InvalidAction(
            f"actions {actions!r}: expected an array; give every lane an action of the same shape"
        ) from None


def check_kind(actions: Any, wanted: np.dtype[Any]) -> None:
    """Refuse actions, an array, whose dtype is of another kind than `wanted`.

    Raises:
        InvalidAction: Floats for whole numbers, texts, objects...
    """
    if not np.can_cast(actions.dtype, wanted, "same_kind"):
        raise InvalidAction(
            f"actions of dtype {actions.dtype}: expected {wanted}; nothing was stepped, "
            f"give {'whole' if np.issubdtype(wanted, np.integer) else 'real'} numbers"
        )


def check_shape(actions: Any, wanted: tuple[int, ...]) -> None:
    """Refuse actions, an array, of another shape than `wanted`, `[lanes, ...]`.

    Raises:
        InvalidAction: The shape differs.
    """
    if actions.shape != wanted:
        raise InvalidAction(
            f"actions of shape {actions.shape}: expected shape {wanted}, one action for each lane; "
            "nothing was stepped"
        )


def cast_actions(actions: npt.NDArray[Any], wanted: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return `actions` C-contiguous in the dtype `wanted`, every whole number unchanged.

    Args:
        actions: Of a dtype that `check_kind` lets pass.
        wanted: The dtype.

    Raises:
        InvalidAction: A whole number is none of `wanted`'s; the message names it and its lane.
    """
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
