"""Checks of the actions that users hand in, before they go to the device."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hub.arguments import dense
from hub.errors import InvalidAction


def check_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """Return a batch of actions ready for the device, or say what is wrong with it.

    Device arrays are checked for shape and kind only: their values are not fetched.

    Args:
        space: The batched action space.
        action: `[lanes, ...]` array, or nested dict or tuple of such for composite spaces.

    Raises:
        InvalidAction: A shape or a value does not fit the space.
        TypeError: The actions' dtype is of another kind (floats for whole numbers), or they are
            a masked array.
    """
    if isinstance(space, spaces.Dict):
        return {key: check_action(sub, action[key]) for key, sub in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(check_action(sub, part) for sub, part in zip(space, action, strict=True))
    assert space.dtype is not None  # only composite spaces have none
    array = action if isinstance(action, jax.Array) else dense(action)
    if not np.can_cast(array.dtype, space.dtype, "same_kind"):
        raise TypeError(f"actions of dtype {array.dtype}: expected {space.dtype}")
    if array.shape != space.shape:
        raise InvalidAction(f"actions of shape {array.shape}: expected {space.shape}")
    if isinstance(array, np.ndarray):
        _check_values(space, array)
    whole = np.issubdtype(space.dtype, np.integer)
    return array.astype(np.int32 if whole else space.dtype)


def _check_values(space: gymnasium.Space[Any], array: npt.NDArray[Any]) -> None:
    """Refuse what no game defines: discrete values out of range, NaN and infinities.

    A Box's bounds are left to the game: some clip, and charge for the unclipped action.
    """
    if isinstance(space, spaces.MultiDiscrete):
        wrong = (array < space.start) | (array >= space.start + space.nvec)
    else:
        wrong = ~np.isfinite(array)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        lane = f" of lane {place[0]}" if len(array) > 1 else ""
        raise InvalidAction(f"action {array[place]}{lane}: expected a finite one of {space}")
