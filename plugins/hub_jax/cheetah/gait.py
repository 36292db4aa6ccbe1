"""A gait: sines of one frequency on the six motors, found by the cross-entropy method.

It needs no network and runs forward, so that checks see the states that a trained policy visits:
fast feet that strike the floor, hinges at their limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

FREQUENCY = 2.5  # Hz
AMPLITUDE = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
PHASE = np.array([0.0, 1.0, 2.0, 0.0, 1.0, 2.0])  # rad
OFFSET = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def actions(time: float) -> NDArray[np.float32]:
    """Return the gait's action `time` seconds after the start, `[6]`."""
    wave = OFFSET + AMPLITUDE * np.sin(2.0 * np.pi * FREQUENCY * time + PHASE)
    clipped: NDArray[np.float32] = np.clip(wave, -1.0, 1.0).astype(np.float32)
    return clipped


def controller(step: float) -> Callable[[Any], NDArray[np.float32]]:
    """Return a policy that plays the gait from its start, `step` seconds a call."""
    calls = 0

    def act(_: Any) -> NDArray[np.float32]:
        nonlocal calls
        calls += 1
        return actions((calls - 1) * step)

    return act
