"""Keys of lanes: one per lane from its seed, one per (episode, step) from that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hub.seeds import as_seed


def lane_keys(seeds: Iterable[Any]) -> jax.Array:
    """Make one Threefry key per seed.

    A seed is cut into two 32-bit words here, on the host, so 64-bit seeds need no x64. For a
    seed below 2**32 the key is that of `jax.random.key(seed)`.

    Args:
        seeds: `[lanes]` whole numbers from 0 to 2**64 - 1.

    Returns:
        `[lanes]` typed keys (`threefry2x32`).

    Raises:
        ValueError: A seed is out of range.
    """
    whole = np.array([as_seed(seed) for seed in seeds], np.uint64)
    words = np.stack([whole >> np.uint64(32), whole & np.uint64(0xFFFFFFFF)], axis=-1)
    keys: jax.Array = jax.random.wrap_key_data(
        jnp.asarray(words.astype(np.uint32)), impl="threefry2x32"
    )
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
