"""Random actions on the device: uniform over the space, or over the legal ones."""

from __future__ import annotations

from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
from gymnasium import spaces

from hub.functional.env import Array, FunctionalEnv, Info


def random_action(space: gymnasium.Space[Any], key: Array, info: Info) -> Any:
    """Draw one action for one lane (and, where the game has several, for each player).

    Args:
        space: Action space of one lane: Discrete, MultiDiscrete, Box, or Dict or Tuple of them.
        key: PRNG key.
        info: What the state says; its `action_mask` restricts a Discrete space.

    Raises:
        TypeError: The space is of another kind.
    """
    if "action_mask" in info:
        return jax.random.categorical(key, jnp.where(info["action_mask"], 0.0, -jnp.inf))
    if isinstance(space, spaces.Dict):
        keys = jax.random.split(key, len(space))
        return {n: random_action(s, k, {}) for (n, s), k in zip(space.items(), keys, strict=True)}
    if isinstance(space, spaces.Tuple):
        keys = jax.random.split(key, len(space))
        return tuple(random_action(s, k, {}) for s, k in zip(space, keys, strict=True))
    if isinstance(space, spaces.Discrete):
        return jax.random.randint(key, (), space.start, space.start + space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return jax.random.randint(key, space.shape, space.start, space.start + space.nvec)
    if isinstance(space, spaces.Box):
        return jax.random.uniform(key, space.shape, space.dtype, space.low, space.high)
    raise TypeError(f"no random actions for {space}: expected Discrete, MultiDiscrete, Box, Dict")


def random_actions(env: FunctionalEnv[Any, Any], keys: Array, info: Info) -> Any:
    """Draw one action per lane.

    Args:
        env: The environment; with several players it must give an `action_mask`.
        keys: `[lanes]` keys.
        info: `[lanes, ...]` arrays.

    Returns:
        `[lanes, ...]`, or `[lanes, players, ...]`.
    """
    return jax.vmap(lambda key, one: random_action(env.action_space, key, one))(keys, info)
