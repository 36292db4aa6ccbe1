"""Checks of the actions that users hand in, before they go to the device."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import jax
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hub.arguments import check_kind, check_shape, dense
from hub.errors import InvalidAction


def check_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """Return a batch of actions ready for the device, or say what is wrong with it.

    Device arrays are checked for shape and kind only: their values are not fetched.

    Args:
        space: The batched action space.
        action: `[lanes, ...]` array, or nested dict or tuple of such for composite spaces.

    Raises:
        InvalidAction: A dtype's kind (floats for whole numbers), a shape or a value does not fit
            the space, or the actions are a masked array.
    """
    if isinstance(space, spaces.Dict):
        return {key: check_action(sub, action[key]) for key, sub in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(check_action(sub, part) for sub, part in zip(space, action, strict=True))
    assert space.dtype is not None  # only composite spaces have none,
    assert space.shape is not None  # nor a shape
    array = action if isinstance(action, jax.Array) else dense(action)
    check_kind(array, space.dtype)
    check_shape(array, space.shape)
    if isinstance(array, np.ndarray):
        _check_values(space, array)
    whole = np.issubdtype(space.dtype, np.integer)
    return array.astype(np.int32 if whole else space.dtype)


def check_lane_action(space: gymnasium.Space[Any], lanes: gymnasium.Space[Any], action: Any) -> Any:
    """Return the action of a single environment as a batch of one, ready for the device.

    Args:
        space: The action space.
        lanes: The same, batched for one lane.
        action: One of `space`.

    Raises:
        InvalidAction: As `check_action`; a Discrete action must be a whole number.
    """
    if isinstance(space, spaces.Discrete):
        return np.array([_choice(space, action)], np.int32)
    return check_action(lanes, jax.tree.map(lambda leaf: np.asarray(leaf)[None], action))


def _choice(space: spaces.Discrete, action: Any) -> int:
    """Return the whole number that `action` is; floats are none, as in the native environments."""
    first, last = int(space.start), int(space.start + space.n) - 1
    try:
        number = operator.index(action)
    except TypeError:
        number = None
    if number is None or not first <= number <= last:
        shown = repr(action) if number is None else number
        raise InvalidAction(
            f"action {shown}: expected a whole number from {first} to {last}; nothing was stepped"
        )
    return number


def _check_values(space: gymnasium.Space[Any], array: npt.NDArray[Any]) -> None:
    """Refuse what no game defines: discrete values out of range, NaN and infinities.

    A Box's bounds are left to the game: some clip, and charge for the unclipped action.
    """
    if isinstance(space, spaces.MultiDiscrete):
        wrong = (array < space.start) | (array >= space.start + space.nvec)
    elif isinstance(space, spaces.MultiBinary):
        wrong = (array != 0) & (array != 1)
    else:
        wrong = ~np.isfinite(array)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        lane = f" of lane {place[0]}" if len(array) > 1 else ""
        raise InvalidAction(
            f"action {array[place]}{lane}: expected {_words(space, place)}; nothing was stepped"
        )


def _words(space: gymnasium.Space[Any], place: tuple[Any, ...]) -> str:
    if isinstance(space, spaces.MultiDiscrete):
        first, count = int(space.start[place]), int(space.nvec[place])
        return f"a whole number from {first} to {first + count - 1}"
    return "0 or 1" if isinstance(space, spaces.MultiBinary) else "a finite number"
