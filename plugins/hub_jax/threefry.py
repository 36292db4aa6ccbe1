"""Threefry-2x32 in JAX: the stream that `hub.threefry` defines, draw for draw.

All words are `uint32`, so 64-bit seeds and draw numbers, kept as two words, need no x64.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from hub.functional import Array, struct

_PARITY = 0x1BD11BDA
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


@struct
class Stream:
    """A lane's random stream: its seed and how many draws it has used."""

    seed_low: Array  # [] uint32
    seed_high: Array  # [] uint32
    draws_low: Array  # [] uint32
    draws_high: Array  # [] uint32


def threefry2x32(key: tuple[Array, Array], counter: tuple[Array, Array]) -> tuple[Array, Array]:
    """Encrypt `counter` under `key`; all four are `uint32` of one shape."""
    schedule = (*key, jnp.uint32(_PARITY) ^ key[0] ^ key[1])
    x, y = counter[0] + key[0], counter[1] + key[1]
    for group in range(1, 6):
        for bits in _ROTATIONS[(group - 1) % 2]:
            x = x + y
            y = ((y << bits) | (y >> (32 - bits))) ^ x
        x = x + schedule[group % 3]
        y = y + schedule[(group + 1) % 3] + jnp.uint32(group)
    return x, y


def stream(key: Array) -> Stream:
    """Begin the stream of a lane at draw 0.

    Args:
        key: The lane's key, as `hub.functional.lane_keys` makes it: its data are the high and the
            low word of the seed. A key of any other origin names a stream as well.
    """
    words = jax.random.key_data(key)
    zero = jnp.zeros((), jnp.uint32)
    return Stream(words[1], words[0], zero, zero)


def draw(now: Stream, when: Array) -> tuple[Array, Stream]:
    """Draw the next word, and move on where `when`.

    Returns:
        `[] uint32`, and the stream after it.
    """
    key, counter = (now.seed_low, now.seed_high), (now.draws_low, now.draws_high)
    used = when.astype(jnp.uint32)
    low = now.draws_low + used
    high = now.draws_high + (used & (low == 0))
    return threefry2x32(key, counter)[0], Stream(now.seed_low, now.seed_high, low, high)
