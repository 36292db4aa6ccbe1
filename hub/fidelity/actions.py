"""Where the actions of a rollout comparison come from.

Both sides receive the same actions. They depend on the action space, on the reference's
observation and on a generator of the episode's own, so that an episode replays alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from hub.errors import DeclarationError

Act: TypeAlias = Callable[[Any], Any]
"""`(observation) -> action` within one episode."""


@dataclass(frozen=True)
class ActionSource:
    """A named way of choosing actions.

    Attributes:
        name: For the certificate and the report.
        start: `(action_space, generator) -> act`, called at the start of every episode; `act`
            takes the reference's observation and returns an action of `action_space`.
    """

    name: str
    start: Callable[[gymnasium.Space[Any], np.random.Generator], Act]


def random_actions() -> ActionSource:
    """Uniform over the action space, a new draw at every step."""

    def start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Act:
        return lambda observation: _draw(space, rng)

    return ActionSource("random", start)


def sticky_actions(keep: float) -> ActionSource:
    """Uniform draws, each kept at every step with probability `keep`: drives into corners."""

    def start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Act:
        last = _draw(space, rng)

        def act(observation: Any) -> Any:
            nonlocal last
            if rng.random() >= keep:
                last = _draw(space, rng)
            return last

        return act

    return ActionSource(f"sticky {keep:g}", start)


def saturated_actions(keep: float = 0.8) -> ActionSource:
    """Every component of a `Box` at its lower or upper bound, kept with probability `keep`."""

    def start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Act:
        if not isinstance(space, spaces.Box) or not space.is_bounded():
            raise DeclarationError(f"saturated actions need a bounded Box, not {space}")
        low, high = space.low, space.high
        last = np.where(rng.random(space.shape) < 0.5, low, high).astype(space.dtype)

        def act(observation: Any) -> Any:
            nonlocal last
            fresh = np.where(rng.random(space.shape) < 0.5, low, high).astype(space.dtype)
            last = np.where(rng.random(space.shape) < keep, last, fresh)
            return last

        return act

    return ActionSource(f"saturated {keep:g}", start)


def policy_actions(name: str, load: Callable[[], Callable[[Any], Any]]) -> ActionSource:
    """Actions of a deterministic controller or trained policy.

    Args:
        name: For the certificate.
        load: Returns `(observation) -> action`; called once an episode, so cache a heavy load.
    """

    def start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Act:
        return load()

    return ActionSource(name, start)


def _draw(space: gymnasium.Space[Any], rng: np.random.Generator) -> Any:
    """One uniform sample by our own generator: `Space.sample` would need a seed of its own."""
    if isinstance(space, spaces.Discrete):
        return int(space.start + rng.integers(space.n))
    if isinstance(space, spaces.MultiDiscrete):
        return (space.start + rng.integers(space.nvec)).astype(space.dtype)
    if isinstance(space, spaces.MultiBinary):
        return rng.integers(0, 2, space.shape).astype(space.dtype)
    if isinstance(space, spaces.Box) and space.is_bounded():
        return rng.uniform(space.low, space.high).astype(space.dtype)
    raise DeclarationError(
        f"no uniform actions for {space}; give the plan an ActionSource of your own"
    )
