"""States of the cheetah for the checks: anywhere, or of one kind."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from hub_jax.cheetah.constants import HINGES
from hub_jax.cheetah.probe import States
from hub_jax.cheetah.view import lowest_point

Kind = Literal["airborne", "limits", "on its feet", "on its back", "lying"]
# m: how deep the lowest point of a touching cheetah is at most
DEPTH, LYING_DEPTH = 0.01, 0.04

_LOWER = np.array([hinge.lower for hinge in HINGES])
_UPPER = np.array([hinge.upper for hinge in HINGES])


def anywhere(samples: int, seed: int) -> States:
    """Return states from all over: any pitch, deep in the floor or above it, limits violated."""
    rng = np.random.default_rng(seed)
    qpos = rng.uniform(-1.0, 1.0, (samples, 9))
    qpos[:, 1] = rng.uniform(-0.7, 0.3, samples)
    qpos[:, 2] = rng.uniform(-4.0, 4.0, samples)
    return States(qpos, rng.normal(0.0, 5.0, (samples, 9)), rng.uniform(-1.5, 1.5, (samples, 6)))


def of_kind(kind: Kind, samples: int, seed: int) -> States:
    """Return states of one kind, of the depths and violations that motion leads to.

    Args:
        kind: `airborne` touches nothing and no limit; `limits` does so with hinges past theirs;
            the others touch the floor, `lying` with several capsules.
        samples: How many.
        seed: Of all that is random.
    """
    rng = np.random.default_rng(seed)
    qpos = np.zeros((samples, 9))
    qpos[:, 0] = rng.uniform(-100.0, 100.0, samples)
    spread = _UPPER - _LOWER
    low, high = _LOWER + 0.05 * spread, _UPPER - 0.05 * spread
    qpos[:, 3:] = rng.uniform(low, high, (samples, 6))
    qpos[:, 2] = rng.uniform(-math.pi, math.pi, samples)
    if kind == "limits":
        past = rng.uniform(0.0, 0.05, (samples, 6))
        side = np.where(rng.random((samples, 6)) < 0.5, _LOWER - past, _UPPER + past)
        qpos[:, 3:] = np.where(rng.random((samples, 6)) < 0.7, side, qpos[:, 3:])
    elif kind == "on its feet":
        qpos[:, 2] = rng.uniform(-0.6, 0.6, samples)
    elif kind == "on its back":
        qpos[:, 2] = math.pi + rng.uniform(-0.6, 0.6, samples)
    elif kind == "lying":
        qpos[:, 2] = rng.choice([0.0, math.pi], samples) + rng.normal(0.0, 0.02, samples)
        qpos[:, 3:] = rng.normal(0.0, 0.2, (samples, 6))
    flies = kind in ("airborne", "limits")
    depth = LYING_DEPTH if kind == "lying" else DEPTH
    gap = rng.uniform(0.01, 2.0, samples) if flies else -rng.uniform(0.0, depth, samples)
    qpos[:, 1] = gap - np.array([lowest_point(row) for row in qpos])
    return States(qpos, rng.normal(0.0, 3.0, (samples, 9)), rng.uniform(-1.2, 1.2, (samples, 6)))
