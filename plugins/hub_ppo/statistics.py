"""Running statistics: moments of the observations, returns of the episodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hub.fidelity import CurvePoint


class Moments(NamedTuple):
    """Count, mean and sum of squared deviations; arrays of NumPy or JAX."""

    count: Any  # []
    mean: Any  # [inputs]
    squares: Any  # [inputs]

    @classmethod
    def none(cls, inputs: int) -> Moments:
        """Return the moments of nothing."""
        return cls(np.float32(0), np.zeros(inputs, np.float32), np.zeros(inputs, np.float32))

    def merged(self, values: Any, valid: Any) -> Moments:
        """Take in a batch (Chan et al. 1979).

        Args:
            values: `[T, N, inputs]`.
            valid: `[T, N]`: the others are left out.
        """
        weight = valid[..., None].astype(values.dtype)
        count = valid.sum()
        mean = (values * weight).sum((0, 1)) / count
        squares = ((values - mean) ** 2 * weight).sum((0, 1))
        both, step = self.count + count, mean - self.mean
        return Moments(
            both,
            self.mean + step * (count / both),
            self.squares + squares + step**2 * (self.count * count / both),
        )

    def scale(self) -> Any:
        """Return one over the standard deviation."""
        return (self.squares / self.count + 1e-8) ** -0.5


class Returns:
    """Adds up rewards lane by lane and keeps the returns of episodes that ended."""

    def __init__(self, lanes: int) -> None:
        self._running = np.zeros(lanes)
        self._ended: list[float] = []

    def add(self, rewards: NDArray[Any], ended: NDArray[Any]) -> None:
        """Take in one step of every lane."""
        self._running += rewards
        self._ended += self._running[ended].tolist()
        self._running[ended] = 0.0

    def point(self, steps: int) -> CurvePoint | None:
        """Return the mean over the episodes since the last call, None when none ended."""
        if not self._ended:
            return None
        mean, self._ended = float(np.mean(self._ended)), []
        return CurvePoint(steps, mean)
