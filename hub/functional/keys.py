"""Keys of lanes: one per lane from its seed, one per (episode, step) from that."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

SEED_LIMIT = 2**64


def lane_keys(seeds: Sequence[int]) -> jax.Array:
    """Make one Threefry key per seed.

    A seed is cut into two 32-bit words here, on the host, so 64-bit seeds need no x64. For a
    seed below 2**32 the key is that of `jax.random.key(seed)`.

    Args:
        seeds: `[lanes]` integers in `[0, 2**64)`.

    Returns:
        `[lanes]` typed keys (`threefry2x32`).

    Raises:
        ValueError: A seed is out of range.
    """
    for seed in seeds:
        if not 0 <= seed < SEED_LIMIT:
            raise ValueError(f"seed {seed} is out of range: expected 0 <= seed < 2**64")
    words = [[seed >> 32, seed & 0xFFFFFFFF] for seed in seeds]
    data = jnp.asarray(np.array(words, np.uint32).reshape(-1, 2))
    keys: jax.Array = jax.random.wrap_key_data(data, impl="threefry2x32")
    return keys


def moment_keys(keys: jax.Array, episode: jax.Array, moment: jax.Array) -> jax.Array:
    """Give each lane the key of one moment of its life.

    The key depends on the lane's seed, the episode and the step alone, so a lane goes through
    the same episodes in every autoreset mode, batch and process.

    Args:
        keys: `[lanes]` keys.
        episode: `[lanes] int32`: episodes begun since seeding, less one.
        moment: `[lanes] int32`: 0 for the reset, n for the n-th step.

    Returns:
        `[lanes]` keys.
    """
    fold = jax.vmap(jax.random.fold_in)
    return fold(fold(keys, episode), moment)


def lane_seeds(seed: int | Sequence[int | None] | None, lanes: int) -> list[int | None]:
    """Give each lane its seed: `s + i` of an integer `s`, a list as it is, None for none.

    Raises:
        ValueError: A list has another length than there are lanes.
        TypeError: A seed is no integer.
    """
    if seed is None:
        return [None] * lanes
    if _is_integer(seed):
        return [int(seed) + lane for lane in range(lanes)]  # type: ignore[arg-type]  # just asked
    if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str):
        raise TypeError(f"seed {seed!r}: expected an integer, a list of integers or None")
    if len(seed) != lanes:
        raise ValueError(f"seed is a list of {len(seed)}: expected one entry for each of {lanes}")
    wrong = [s for s in seed if s is not None and not _is_integer(s)]
    if wrong:
        raise TypeError(f"seed {wrong[0]!r}: expected an integer or None")
    return [None if s is None else int(s) for s in seed]


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
