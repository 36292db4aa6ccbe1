"""TOST: published worked examples, type I error by simulation, verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hub.errors import DeclarationError
from hub.fidelity.equivalence import Summary, paired_tost, welch_tost, welch_tost_of
from tests import need

need.module("scipy")
from scipy import stats  # noqa: E402 - only once it is known to be there

# SAS/STAT User's Guide, TTEST procedure, "Equivalence Testing with Lognormal Data": area under the
# serum concentration curve of test and reference drug, twelve subjects of Wellek (2003, p. 212).
TEST = (103.4, 59.92, 68.17, 94.54, 69.48, 72.17, 74.37, 84.44, 96.74, 94.26, 48.52, 95.68)
REFERENCE = (90.11, 77.71, 77.71, 97.51, 58.21, 101.3, 79.84, 96.06, 89.30, 97.22, 61.62, 85.80)


def test_the_paired_test_gives_the_published_bioequivalence_interval() -> None:
    # The ratio's margin 0.8 to 1.25 is symmetric on the logarithm. Published: ratio 0.9412,
    # 90 % limits 0.8634 and 1.0260, equivalent.
    result = paired_tost(np.log(TEST), np.log(REFERENCE), margin=math.log(1.25))
    assert math.exp(result.difference) == pytest.approx(0.9412, abs=5e-5)
    assert np.exp(result.interval) == pytest.approx((0.8634, 1.0260), abs=5e-5)
    assert result.verdict == "equivalent"
    assert result.df == 11


def test_the_welch_test_gives_the_published_organic_food_result() -> None:
    # Lakens (2017) on Moery and Calin-Jageman (2016, study 2): M = 5.25, SD = 0.95, n = 95 and
    # M = 5.22, SD = 0.83, n = 89, bounds of d = 0.43; published t = -2.69, p = 0.004.
    margin = 0.43 * math.sqrt((0.95**2 + 0.83**2) / 2)
    result = welch_tost_of(Summary(5.25, 0.95, 95), Summary(5.22, 0.83, 89), margin)
    assert (result.difference - margin) / result.standard_error == pytest.approx(-2.69, abs=5e-3)
    assert result.p == pytest.approx(0.004, abs=5e-4)
    assert result.verdict == "equivalent"


def test_the_statistics_agree_with_scipys_one_sided_tests() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(0, 1, 17), rng.normal(0.2, 2, 23)
    result = welch_tost(first, second, margin=1.0)
    lower = stats.ttest_ind(first + 1.0, second, equal_var=False, alternative="greater")
    upper = stats.ttest_ind(first - 1.0, second, equal_var=False, alternative="less")
    assert (result.p_lower, result.p_upper) == pytest.approx((lower.pvalue, upper.pvalue))
    assert result.df == pytest.approx(lower.df)


@pytest.mark.parametrize("kind", ["paired", "welch"])
def test_at_the_margin_the_error_rate_keeps_to_alpha(kind: str) -> None:
    """True difference exactly at the margin: rejections within the 99 % binomial bound of alpha."""
    runs, size, margin, alpha = 20_000, 12, 1.0, 0.05
    rng = np.random.default_rng(20_260)
    hits = 0
    for _ in range(runs):
        second = rng.normal(0, 0.5, size)
        if kind == "paired":
            first = second + rng.normal(margin, 0.5, size)
            hits += paired_tost(first, second, margin, alpha).verdict == "equivalent"
        else:
            first = rng.normal(margin, 0.3, size)
            hits += welch_tost(first, second, margin, alpha).verdict == "equivalent"
    low, high = stats.binom.interval(0.99, runs, alpha)
    assert low <= hits <= high


def test_failing_to_reject_a_difference_is_not_equivalence() -> None:
    rng = np.random.default_rng(1)
    result = welch_tost(rng.normal(0, 5, 5), rng.normal(0, 5, 5), margin=1.0)
    assert result.p_difference > 0.05
    assert result.verdict == "not shown"


def test_an_interval_outside_the_margin_is_a_difference() -> None:
    assert paired_tost([5, 6, 7, 6], [1, 2, 2, 1], margin=1.0).verdict == "different"


def test_samples_without_spread_are_decided_by_their_difference() -> None:
    assert paired_tost([1.0, 2.0], [1.0, 2.0], margin=0.5).p == 0
    assert paired_tost([2.0, 3.0], [1.0, 2.0], margin=0.5).verdict == "different"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1.0], [1.0], "at least two"),
        ([1.0, math.nan], [1.0, 2.0], "finite"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], "sizes 3 and 2"),
    ],
)
def test_bad_samples_are_refused(first: list[float], second: list[float], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        paired_tost(first, second, margin=1.0)
