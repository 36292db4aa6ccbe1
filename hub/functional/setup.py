"""What every adapter asks of an environment and of its own arguments."""

from __future__ import annotations

import re
from typing import Any

import jax

from hub import arguments
from hub.errors import UnknownDevice
from hub.functional.env import FunctionalEnv

_DEVICE = re.compile(r"(?P<platform>[a-z]+)(:(?P<index>\d+))?", re.ASCII)


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
    arguments.render_mode(render_mode, env.render_modes)


def episode_limit(env: FunctionalEnv[Any, Any], steps: int | None) -> int | None:
    """Return the episode limit: `steps`, or the environment's own where it is None.

    Raises:
        ValueError: The limit is no whole number from 1 to 2**31 - 1 (steps count in int32).
    """
    limit = env.max_episode_steps if steps is None else steps
    return arguments.whole_or_none("max_episode_steps", limit, arguments.INT32_MAX)


def resolve_device(device: str | jax.Device | None) -> jax.Device | None:
    """Find a device by name (`"cpu"`, `"gpu"`, `"gpu:1"`); None leaves the choice to JAX.

    Raises:
        UnknownDevice: JAX has no such device here, or this is no name of one.
    """
    if device is None or isinstance(device, jax.Device):
        return device
    name = _DEVICE.fullmatch(device) if isinstance(device, str) else None
    try:
        if name is not None:
            found: jax.Device = jax.devices(name["platform"])[int(name["index"] or 0)]
            return found
    except (RuntimeError, IndexError):  # no such platform, or fewer devices
        pass
    have = ", ".join(f"'{d.platform}:{d.id}'" for d in jax.devices())
    raise UnknownDevice(
        f"device {device!r}: expected None or one of JAX's devices here, {have}; leave device= "
        "out, or install the jax that has the platform (`pip install 'jax[cuda12]'` for a GPU)"
    )
