"""Draws from a key, or from a tape that replaces the randomness.

A translation is compared with a reference whose random generator JAX does not have: the
reference's draws are recorded, each tagged with its purpose, and handed to `init` or `step`
in place of the key. The game's code is the same in both cases:

    roll, source = draw(source, 0, 6, tag=ATTACK, when=attacks)

A game that is given a tape returns it, advanced, as `info["tape"]`; `init` gets one of its own.
"""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Tape:
    """Recorded draws of one lane, read from the front."""

    rolls: jax.Array  # [n] int32: the values drawn
    tags: jax.Array  # [n] int32: what each was drawn for
    cursor: jax.Array  # [] int32: how many have been read
    fault: jax.Array  # [] bool: a draw found no roll, another's roll, or one out of its range


Source: TypeAlias = jax.Array | Tape


def make_tape(rolls: ArrayLike, tags: ArrayLike) -> Tape:
    """Make an unread tape.

    Args:
        rolls: `[..., n]` integers.
        tags: `[..., n]` integers, the purpose of each roll.

    Returns:
        The tape; leading axes are lanes or steps, for `vmap` and `scan` to take apart.

    Raises:
        ValueError: The two shapes differ, or there is no roll at all.
    """
    values, purposes = jnp.asarray(rolls, jnp.int32), jnp.asarray(tags, jnp.int32)
    if values.shape != purposes.shape or values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(
            f"rolls {values.shape} and tags {purposes.shape} must have one shape [..., n], n >= 1; "
            "pad a short tape with a tag that the game never draws for"
        )
    lead = values.shape[:-1]
    return Tape(values, purposes, jnp.zeros(lead, jnp.int32), jnp.zeros(lead, bool))


def draw(
    source: Source, low: ArrayLike, high: ArrayLike, *, tag: int = 0, when: ArrayLike = True
) -> tuple[jax.Array, Source]:
    """Draw an integer in `[low, high)`.

    Args:
        source: A PRNG key, or a tape.
        low: Lowest value, `[] int32`.
        high: One past the highest value, `[] int32`.
        tag: The purpose; a tape's next roll must carry it.
        when: `[] bool`; where False the value means nothing and a tape is not advanced.

    Returns:
        `[] int32`, and the source for the next draw.
    """
    if not isinstance(source, Tape):
        rest, mine = jax.random.split(source)
        return jax.random.randint(mine, (), low, high, jnp.int32), rest
    wanted = jnp.asarray(when, bool)
    place = jnp.minimum(source.cursor, source.rolls.shape[-1] - 1)
    value = source.rolls[place]
    wrong = (source.cursor >= source.rolls.shape[-1]) | (source.tags[place] != tag)
    wrong = wrong | (value < low) | (value >= high)
    return value, dataclasses.replace(
        source, cursor=source.cursor + wanted, fault=source.fault | (wanted & wrong)
    )
