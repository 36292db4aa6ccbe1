"""Checks of the actions that users hand in, before they go to the device."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import numpy as np
import numpy.typing as npt
from gymnasium import spaces


def check_action(space: gymnasium.Space[Any], action: Any) -> Any:
    """Return a batch of actions ready for the device, or say what is wrong with it.

    Device arrays are checked for shape and kind only: their values are not fetched.

    Args:
        space: The batched action space.
        action: `[lanes, ...]` array, or nested dict or tuple of such for composite spaces.

    Raises:
        ValueError: Shape, kind or value does not fit the space.
    """
    if isinstance(space, spaces.Dict):
        return {key: check_action(sub, action[key]) for key, sub in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(check_action(sub, a) for sub, a in zip(space, action, strict=True))
    on_device = isinstance(action, jax.Array)
    array = action if on_device else np.asarray(action)
    whole = not isinstance(space, spaces.Box) or np.issubdtype(space.dtype, np.integer)
    if array.shape != space.shape or not np.issubdtype(
        array.dtype, np.integer if whole else np.number
    ):
        kind = "integers" if whole else "numbers"
        raise ValueError(
            f"actions are {array.dtype}{list(array.shape)}: expected {kind} of shape "
            f"{list(space.shape or ())}"
        )
    if not on_device:
        _check_values(space, array, whole)
    return array.astype(np.int32 if whole else space.dtype)


def _check_values(space: gymnasium.Space[Any], array: npt.NDArray[Any], whole: bool) -> None:
    if not whole:
        bad = np.argwhere(np.isnan(array))
        if bad.size:
            raise ValueError(f"action of lane {bad[0][0]} is NaN: expected numbers")
        return
    if isinstance(space, spaces.MultiDiscrete):
        low, high = space.start, space.start + space.nvec - 1
    elif isinstance(space, spaces.Box):
        low, high = space.low, space.high
    else:
        low, high = np.zeros(array.shape, np.int64), np.ones(array.shape, np.int64)
    bad = np.argwhere((array < low) | (array > high))
    if bad.size:
        place = tuple(bad[0])
        raise ValueError(
            f"action {array[place]} of lane {place[0]}: expected {low[place]} to {high[place]}"
        )
