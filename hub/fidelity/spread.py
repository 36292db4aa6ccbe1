"""L3, second half: distributions of reset states (and of later observations) on both sides.

Equal seeds may hide lost randomness: an engine whose resets are all alike agrees with itself.
Both sides are therefore sampled with seeds of their own, over lanes and over the episodes that
follow an unseeded reset, and compared as distributions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hub.fidelity.declaration import Declaration
from hub.fidelity.plans import Distributions, Floats
from hub.fidelity.sampling import LANES, engine_samples, reference_samples
from hub.fidelity.scipy_stats import stats

NAMED = 20


@dataclass(frozen=True)
class Component:
    """One component of the flattened observation that is distributed differently.

    Attributes:
        horizon: 0 after `reset`, k after k random actions.
        index: Its index.
        reason: What differs.
        means: Mean of the reference and of the engine.
        deviations: Standard deviation of the reference and of the engine.
        p: The smallest p-value, or 0 where randomness is missing or added.
    """

    horizon: int
    index: int
    reason: str
    means: tuple[float, float]
    deviations: tuple[float, float]
    p: float


@dataclass(frozen=True)
class DistributionReport:
    """Result of the comparison of distributions.

    Attributes:
        passed: No component differs.
        samples: Observations a side and horizon.
        horizons: The plan's.
        components: Components compared, over all horizons.
        varying: Those of them that vary in the reference.
        smallest_p: Over all tests.
        threshold: Bonferroni-corrected threshold of one test.
        seed: The plan's.
        differing: The components that differ, at most 20.
    """

    passed: bool
    samples: int
    horizons: tuple[int, ...]
    components: int
    varying: int
    smallest_p: float
    threshold: float
    seed: int
    differing: tuple[Component, ...]


def run_distributions(declaration: Declaration, plan: Distributions) -> DistributionReport:
    """Sample both sides and compare every component at every horizon."""
    rounds = math.ceil(plan.samples / LANES)
    seeds = np.random.default_rng(plan.seed).choice(2**31, size=2 * LANES, replace=False)
    reference = reference_samples(declaration, plan, rounds, seeds[:LANES])
    engine = engine_samples(declaration, plan, rounds, seeds[LANES:])
    size = next(iter(reference.values())).shape[-1]
    threshold = plan.alpha / (3 * size * len(plan.horizons))
    smallest, varying, differing = 1.0, 0, list[Component]()
    for horizon in plan.horizons:
        want, got = reference[horizon], engine[horizon]
        lost = _lost_randomness(want, got) if horizon == 0 else {}
        differing += lost.values()
        for index in range(size):
            first, second = _valid(want[..., index]), _valid(got[..., index])
            varying += bool(np.ptp(first) > 0)
            reason, p = _differ(first, second)
            smallest = min(smallest, p)
            if p < threshold and index not in lost:
                differing.append(_component(horizon, index, reason, first, second, p))
    return DistributionReport(
        passed=not differing,
        samples=rounds * LANES,
        horizons=plan.horizons,
        components=size * len(plan.horizons),
        varying=varying,
        smallest_p=min([smallest, *(component.p for component in differing)]),
        threshold=threshold,
        seed=plan.seed,
        differing=tuple(differing[:NAMED]),
    )


def _differ(first: Floats, second: Floats) -> tuple[str, float]:
    """What differs most between two samples, and its p-value."""
    if min(first.size, second.size) < 2:
        return "too few episodes reach this horizon", float(first.size == second.size)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        if np.ptp(first) == np.ptp(second) and np.isclose(first[0], second[0], rtol=1e-6, atol=0):
            return "", 1.0
        if np.ptp(first) == np.ptp(second):
            return "another constant", 0.0
        return ("constant here" if np.ptp(second) == 0 else "constant in the reference"), 0.0
    dist = stats()
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = float(dist.levene(first, second, center="median").pvalue)
    if math.isnan(spread):  # all deviations from the median alike on both sides
        spread = float(np.isclose(np.ptp(first), np.ptp(second)))
    tests = {
        "mean": float(dist.ttest_ind(first, second, equal_var=False).pvalue),
        "variance": spread,
        "distribution (KS)": float(dist.ks_2samp(first, second, method="asymp").pvalue),
    }
    return min(tests.items(), key=lambda test: test[1])


def _lost_randomness(want: Floats, got: Floats) -> dict[int, Component]:
    """Components that vary in the reference between lanes or episodes, and not in the engine.

    Args:
        want: The reference's reset observations, `[rounds, lanes, D]`; round 0 is seeded.
        got: The engine's.
    """
    views = {
        "does not vary between seeds": (want[:1], got[:1], 1),
        "does not vary between lanes after an unseeded reset": (want[1:], got[1:], 1),
        "does not vary between episodes": (want, got, 0),
    }
    found: dict[int, Component] = {}
    for reason, (first, second, axis) in views.items():
        lost = np.ptp(first, axis=axis).any(axis=0) & ~np.ptp(second, axis=axis).any(axis=0)
        for index in map(int, np.flatnonzero(lost)):
            sides = want[..., index].ravel(), got[..., index].ravel()
            found.setdefault(index, _component(0, index, reason, *sides, 0.0))
    return found


def _component(
    horizon: int, index: int, reason: str, first: Floats, second: Floats, p: float
) -> Component:
    means = (float(first.mean()), float(second.mean()))
    return Component(horizon, index, reason, means, (float(first.std()), float(second.std())), p)


def _valid(values: Floats) -> Floats:
    return values[~np.isnan(values)]
