"""Equivalence of two means: two one-sided t tests (TOST).

Schuirmann (1987): the hypothesis is that the true difference lies outside the margin; it must be
rejected on both sides, each with size alpha. That is the same as asking that the 1 - 2 alpha
confidence interval lie inside the margin. A difference that is not significant shows nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hub.errors import DeclarationError
from hub.fidelity.scipy_stats import special

Verdict: TypeAlias = Literal["equivalent", "different", "not shown"]


@dataclass(frozen=True)
class Tost:
    """Result of a TOST of `first - second` against `-margin` and `margin`.

    Attributes:
        kind: `"paired"`, or `"welch"` for independent samples of unequal variance.
        sizes: Number of units on each side.
        means: Mean of each side.
        difference: Mean of the first minus mean of the second.
        standard_error: Of the difference.
        df: Degrees of freedom.
        margin: The margin, in the units of the data.
        alpha: Size of each one-sided test.
        p_lower: p-value of "the difference is at most -margin".
        p_upper: p-value of "the difference is at least margin".
        p: The larger of both: the test's p-value.
        interval: Confidence interval of the difference, level 1 - 2 alpha.
        effect_size: Cohen's d_z (paired), or Hedges' g with the average variance (Welch).
        p_difference: Two-sided p-value of "no difference", for information only.
        verdict: `"equivalent"` when p <= alpha; `"different"` when the interval lies outside
            the margin altogether; `"not shown"` otherwise, which is no evidence either way.
    """

    kind: Literal["paired", "welch"]
    sizes: tuple[int, int]
    means: tuple[float, float]
    difference: float
    standard_error: float
    df: float
    margin: float
    alpha: float
    p_lower: float
    p_upper: float
    p: float
    interval: tuple[float, float]
    effect_size: float
    p_difference: float
    verdict: Verdict


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation (n - 1) and size of one sample."""

    mean: float
    sd: float
    size: int


def paired_tost(first: ArrayLike, second: ArrayLike, margin: float, alpha: float = 0.05) -> Tost:
    """TOST on paired samples: a one-sample test of the differences.

    Args:
        first: `[n]`, n >= 2.
        second: `[n]`, in the same order of units.
        margin: Largest difference that counts as none, > 0.
        alpha: Size of each one-sided test.

    Raises:
        DeclarationError: Samples of different or too small size, values that are not finite.
    """
    left, right = _sample(first), _sample(second)
    if left.shape != right.shape:
        raise DeclarationError(f"paired samples of sizes {left.size} and {right.size}")
    gaps = left - right
    sd = float(gaps.std(ddof=1))
    effect = 0.0 if sd == 0 else float(gaps.mean()) / sd
    sides = (_summary(left), _summary(right))
    error = sd / math.sqrt(gaps.size)
    return _tost("paired", sides, float(gaps.mean()), error, gaps.size - 1, margin, alpha, effect)


def welch_tost(first: ArrayLike, second: ArrayLike, margin: float, alpha: float = 0.05) -> Tost:
    """TOST on independent samples with Welch's degrees of freedom.

    Args and errors as for `paired_tost`; the sizes may differ.
    """
    return welch_tost_of(_summary(_sample(first)), _summary(_sample(second)), margin, alpha)


def welch_tost_of(first: Summary, second: Summary, margin: float, alpha: float = 0.05) -> Tost:
    """`welch_tost` from means, standard deviations and sizes, as papers print them."""
    parts = [side.sd**2 / side.size for side in (first, second)]
    error = math.sqrt(sum(parts))
    weights = [part**2 / (side.size - 1) for part, side in zip(parts, (first, second), strict=True)]
    df = sum(parts) ** 2 / sum(weights) if error > 0 else float(first.size + second.size - 2)
    difference = first.mean - second.mean
    spread = math.sqrt((first.sd**2 + second.sd**2) / 2)
    correction = 1 - 3 / (4 * (first.size + second.size) - 9)
    effect = 0.0 if spread == 0 else correction * difference / spread
    return _tost("welch", (first, second), difference, error, df, margin, alpha, effect)


def _tost(
    kind: Literal["paired", "welch"],
    sides: tuple[Summary, Summary],
    difference: float,
    error: float,
    df: float,
    margin: float,
    alpha: float,
    effect: float,
) -> Tost:
    functions = special()  # stdtr: the t distribution; stdtrit: its quantile
    # Samples without any spread: each test is decided by the sign of its numerator.
    scale = error if error > 0 else math.ulp(0.0)
    p_lower = float(functions.stdtr(df, -(difference + margin) / scale))
    p_upper = float(functions.stdtr(df, (difference - margin) / scale))
    half = float(functions.stdtrit(df, 1 - alpha)) * error
    interval = (difference - half, difference + half)
    p = max(p_lower, p_upper)
    outside = interval[0] > margin or interval[1] < -margin
    verdict: Verdict = "equivalent" if p <= alpha else "different" if outside else "not shown"
    return Tost(
        kind=kind,
        sizes=(sides[0].size, sides[1].size),
        means=(sides[0].mean, sides[1].mean),
        difference=difference,
        standard_error=error,
        df=float(df),
        margin=margin,
        alpha=alpha,
        p_lower=p_lower,
        p_upper=p_upper,
        p=p,
        interval=interval,
        effect_size=effect,
        p_difference=2 * float(functions.stdtr(df, -abs(difference) / scale)),
        verdict=verdict,
    )


def _sample(values: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    sample = np.asarray(values, np.float64)
    if sample.ndim != 1 or sample.size < 2 or not np.isfinite(sample).all():
        raise DeclarationError(
            f"a sample of shape {sample.shape}: expected at least two finite values in one axis"
        )
    return sample.reshape(-1)


def _summary(sample: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Summary:
    return Summary(float(sample.mean()), float(sample.std(ddof=1)), sample.size)
