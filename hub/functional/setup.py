"""What every adapter asks of an environment and of its own arguments."""

from __future__ import annotations

from typing import Any

import jax

from hub.arguments import INT32_MAX, whole_or_none
from hub.functional.env import FunctionalEnv


def check_adaptable(env: FunctionalEnv[Any, Any], render_mode: str | None) -> None:
    """Refuse what Gymnasium's one-agent interfaces cannot carry.

    Raises:
        ValueError: The environment has several players, or not this render mode.
    """
    if env.players != 1:
        raise ValueError(
            f"{env.name} has {env.players} players, and a Gymnasium environment has one; "
            "scan its functions or use hub.functional.rollout"
        )
    if render_mode is not None and render_mode not in env.render_modes:
        raise ValueError(f"render_mode {render_mode!r}: {env.name} has {env.render_modes}")


def episode_limit(env: FunctionalEnv[Any, Any], steps: int | None) -> int | None:
    """Return the episode limit: `steps`, or the environment's own where it is None.

    Raises:
        ValueError: The limit is no whole number from 1 to 2**31 - 1 (steps count in int32).
    """
    limit = env.max_episode_steps if steps is None else steps
    return whole_or_none("max_episode_steps", limit, INT32_MAX)


def resolve_device(device: str | jax.Device | None) -> jax.Device | None:
    """Find a device by name (`"cpu"`, `"gpu"`, `"gpu:1"`); None leaves the choice to JAX.

    Raises:
        ValueError: JAX has no such device here.
    """
    if device is None or isinstance(device, jax.Device):
        return device
    platform, _, index = device.partition(":")
    try:
        found: jax.Device = jax.devices(platform)[int(index or 0)]
    except (RuntimeError, ValueError, IndexError) as error:
        have = ", ".join(f"{d.platform}:{d.id}" for d in jax.devices())
        raise ValueError(f"device {device!r}: JAX has {have} here") from error
    return found
