"""A gait: sines of one frequency on the six motors, found by the cross-entropy method.

It needs no network and runs forward at 2 to 3 m/s unless it falls, so that checks see the states
that a trained policy visits: feet that strike the floor at speed, hinges at their limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

FREQUENCY = 3.57  # Hz
AMPLITUDE = np.array([1.44, 1.41, 0.11, 0.71, 1.38, 0.23])
PHASE = np.array([-2.37, -2.44, -1.89, 0.29, 0.55, -1.13])  # rad
OFFSET = np.array([-0.47, -0.66, -1.52, -0.61, -0.08, -0.8])


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
