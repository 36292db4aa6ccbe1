"""Seeds and masks of a vector environment's `reset`, checked and in the form that a core takes."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from hub.errors import UnknownOption

Seeds = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]
SeedLike = int | Sequence[int | None] | npt.NDArray[np.integer[Any]] | None

_LIMIT = 1 << 64


def as_seed(seed: Any) -> int:
    """Return `seed` as a Python int.

    Raises:
        TypeError: It is no whole number; a bool is none.
        ValueError: It is outside 0..2**64 - 1.
    """
    refused = TypeError(f"seed {seed!r}: expected a whole number from 0 to 2**64 - 1")
    if isinstance(seed, (bool, np.bool_)):
        raise refused
    try:
        value = operator.index(seed)
    except TypeError:
        raise refused from None
    if not 0 <= value < _LIMIT:
        raise ValueError(f"seed {value}: expected 0 to 2**64 - 1")
    return value


def lane_seeds(base: int, num_envs: int) -> Seeds:
    """Return `(base + lane) mod 2**64` for every lane, `[num_envs] uint64`."""
    return np.uint64(base) + np.arange(num_envs, dtype=np.uint64)


def parse_seeds(seed: SeedLike, num_envs: int) -> tuple[Seeds, Mask]:
    """Return the seed of every lane and which lanes are given one.

    Args:
        seed: A number for `lane_seeds`, a list with one entry per lane (None: the lane's stream
            goes on), or None (every stream goes on).
        num_envs: Lanes.

    Raises:
        TypeError: Something is no whole number.
        ValueError: A seed is out of range, or the list is not `num_envs` long.
    """
    if seed is None:
        return np.zeros(num_envs, np.uint64), np.zeros(num_envs, np.bool_)
    listed = seed.ndim > 0 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    if not listed or isinstance(seed, (str, bytes, bytearray)):
        return lane_seeds(as_seed(seed), num_envs), np.ones(num_envs, np.bool_)
    assert isinstance(seed, (Sequence, np.ndarray))
    if len(seed) != num_envs:
        raise ValueError(f"{len(seed)} seeds for num_envs={num_envs}: expected one per lane")
    given = np.array([entry is not None for entry in seed], np.bool_)
    values = [0 if entry is None else as_seed(entry) for entry in seed]
    return np.array(values, np.uint64), given


def reset_mask(options: Mapping[str, Any] | None, num_envs: int, *, started: bool) -> Mask | None:
    """Return `options["reset_mask"]`, checked as Gymnasium's vector environments check it.

    The caller's dict is left alone: wrappers read the mask after the environment (bug B2).

    Args:
        options: Of the reset.
        num_envs: Lanes.
        started: Whether every lane has been reset before.

    Returns:
        The mask, or None where every lane is to be reset.

    Raises:
        ResetNeeded: Only some lanes are to be reset, and none has begun.
        UnknownOption: Another option is given.
        TypeError: The mask is no bool array, or `options` no mapping.
        ValueError: It is not `[num_envs]`, or selects no lane.
    """
    check_options(options, ("reset_mask",))
    if not options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"options['reset_mask'] is {kind}: expected a numpy array of bool")
    if mask.shape != (num_envs,):
        raise ValueError(f"options['reset_mask'] has shape {mask.shape}: expected ({num_envs},)")
    if not mask.any():
        raise ValueError("options['reset_mask'] selects no lane: expected at least one True")
    if mask.all():
        return None
    if not started:
        raise ResetNeeded(
            f"options['reset_mask'] selects {mask.sum()} of {num_envs} lanes before the first "
            "reset(): expected all of them; call reset() without a mask first"
        )
    return np.ascontiguousarray(mask)


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...] = ()) -> None:
    """Check the options of a reset.

    Raises:
        UnknownOption: `options` has a key that is not in `known`.
        TypeError: `options` is neither None nor a mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"reset options {options!r}: expected a dict of options or None")
    unknown = sorted(map(str, set(options or ()) - set(known)))
    if unknown:
        has = f"the only one is {', '.join(known)}" if known else "this environment has none"
        raise UnknownOption(f"no reset option {', '.join(unknown)}; {has}")
