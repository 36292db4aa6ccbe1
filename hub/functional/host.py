"""From device arrays to what Gymnasium's users expect: NumPy, Python scalars, info masks."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hub.seeds import Mask


def fit(space: gymnasium.Space[Any], tree: Any) -> Any:
    """Copy an observation into fresh NumPy arrays of the space's structure and dtype."""
    if isinstance(space, spaces.Dict):
        return {key: fit(sub, tree[key]) for key, sub in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(fit(sub, part) for sub, part in zip(space, tree, strict=True))
    copy = np.array(tree, dtype=space.dtype)
    return copy if copy.ndim else copy[()]


def exact_rewards(rewards: Any, levels: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Copy rewards as `[lanes] float64`.

    Args:
        rewards: `[lanes] float32` or `float64`.
        levels: The only rewards there are (`FunctionalEnv.reward_levels`), or none: a `float32`
            that stands for a level becomes the level.
    """
    given = np.asarray(rewards)
    exact = given.astype(np.float64)
    for level in levels:
        rounded = given.dtype.type(level)
        if float(rounded) != level:
            exact[given == rounded] = level
    return exact


def _widen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give per-lane scalars the dtypes of Python's: what Gymnasium makes of a lane's info."""
    if array.ndim != 1 or array.dtype == np.bool_:
        return array
    return array.astype(np.float64 if np.issubdtype(array.dtype, np.floating) else np.int64)


def add_info(infos: dict[str, Any], info: dict[str, Any], mask: Mask) -> None:
    """Merge lanes' info into a vector info, as `VectorEnv._add_info` lays it out.

    Args:
        infos: The vector info, changed in place: `key` and its mask `_key`.
        info: `[lanes, ...]` arrays, or nested dicts of such.
        mask: `[lanes] bool`: the lanes that have this info.
    """
    if not mask.any():
        return
    for key, value in info.items():
        if isinstance(value, dict):
            add_info(infos.setdefault(key, {}), value, mask)
        else:
            wide = _widen(np.asarray(value))
            array = infos.setdefault(key, np.zeros_like(wide))
            array[mask] = wide[mask]
        infos[f"_{key}"] = infos.get(f"_{key}", np.zeros_like(mask)) | mask


def plain_info(info: dict[str, Any]) -> dict[str, Any]:
    """Return the info of the first lane: Python scalars, fresh arrays, nested dicts.

    Args:
        info: `[lanes, ...]` arrays, or nested dicts of such.
    """
    plain: dict[str, Any] = {}
    for key, value in info.items():
        if isinstance(value, dict):
            plain[key] = plain_info(value)
        else:
            first = np.array(np.asarray(value)[0])
            plain[key] = first if first.ndim else first.item()
    return plain
