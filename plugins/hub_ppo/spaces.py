"""What PPO must know of an environment's spaces, as JSON values that a policy file can carry."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from hub.errors import TrainingError


@dataclass(frozen=True)
class Interface:
    """The spaces of one lane.

    Attributes:
        inputs: Size of a flat observation.
        outputs: Number of actions, or size of a flat continuous one.
        continuous: Whether actions are continuous.
        start: The first discrete action.
        shape: Shape of a continuous action.
        low: Its flat lower bounds; None where it has none.
        high: Its flat upper bounds.
    """

    inputs: int
    outputs: int
    continuous: bool
    start: int = 0
    shape: tuple[int, ...] = ()
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()

    @classmethod
    def of(cls, observation: Space[Any], action: Space[Any]) -> Interface:
        """Read the spaces of one lane.

        Raises:
            TrainingError: A `ValueError`: PPO has no network for such a space.
        """
        if not isinstance(observation, Box):
            raise TrainingError(
                f"observation space {observation}: PPO here takes a Box; flatten it"
            )
        inputs = int(np.prod(observation.shape))
        if isinstance(action, Discrete):
            return cls(inputs, int(action.n), False, int(action.start))
        if not isinstance(action, Box):
            raise TrainingError(f"action space {action}: PPO here takes Discrete or Box")
        low, high = (
            tuple(float(x) if np.isfinite(x) else None for x in bound.ravel())
            for bound in (action.low, action.high)
        )
        return cls(inputs, len(low), True, 0, tuple(action.shape), low, high)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Interface:
        """Make one of what `to_json` returned."""
        lists = {name: tuple(data[name]) for name in ("shape", "low", "high")}
        return cls(**{**data, **lists})

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        data = asdict(self)
        return {k: list(v) if isinstance(v, tuple) else v for k, v in data.items()}

    def flat(self, observations: Any) -> NDArray[np.float32]:
        """Return observations `[B, ...]` as `[B, inputs] float32`."""
        array: NDArray[np.float32] = np.asarray(observations, np.float32)
        return array.reshape(-1, self.inputs)

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the bounds of a flat continuous action, infinite where it has none."""
        low = [-np.inf if x is None else x for x in self.low]
        high = [np.inf if x is None else x for x in self.high]
        return np.asarray(low, np.float32), np.asarray(high, np.float32)

    def actions(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Return what the environment takes: indices counted from `start`, or clipped vectors.

        Args:
            raw: `[B]` indices from 0, or `[B, outputs]`.
        """
        if not self.continuous:
            return np.asarray(raw, np.int64) + self.start
        clipped = np.clip(raw, *self.bounds()).astype(np.float32)
        shaped: NDArray[Any] = clipped.reshape(-1, *self.shape)
        return shaped
