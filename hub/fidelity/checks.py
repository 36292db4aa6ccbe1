"""L1 and L2: runs named checks and says what each compared."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hub.fidelity.declaration import Check, CheckResult


@dataclass(frozen=True)
class CheckReport:
    """One check's row of a certificate.

    Attributes:
        name: The check's.
        passed: Some case was compared and the largest error is within the tolerance.
        cases: How many were compared.
        max_error: Largest error; infinite when the check raised.
        tolerance: The check's.
        detail: The worst case, or the exception that stopped the check.
    """

    name: str
    passed: bool
    cases: int
    max_error: float
    tolerance: float
    detail: str = ""


def compare(expected: ArrayLike, actual: ArrayLike, what: str = "case") -> CheckResult:
    """Largest absolute difference of two arrays of one shape; the first axis counts cases.

    Args:
        expected: What the reference or the rules say, `[N, ...]`.
        actual: What the engine says.
        what: Word for one case in the result.

    Returns:
        `max_error` 0 only where all values are equal (NaN equals NaN only in the same place);
        infinite where shapes differ or one side alone is NaN.
    """
    want, got = np.asarray(expected, np.float64), np.asarray(actual, np.float64)
    if want.shape != got.shape:
        return CheckResult(
            max(len(np.atleast_1d(want)), 1), math.inf, f"{got.shape=} {want.shape=}"
        )
    want, got = np.atleast_1d(want), np.atleast_1d(got)
    if want.size == 0:
        return CheckResult(0, 0.0)
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(want - got))
    gap = np.where(np.isnan(gap), math.inf, gap)
    index = tuple(int(i) for i in np.unravel_index(int(gap.argmax()), gap.shape))
    place = f"[{', '.join(map(str, index[1:]))}]" if index[1:] else ""
    worst = f"{what} {index[0]}{place}: expected {want[index]:.9g}, got {got[index]:.9g}"
    return CheckResult(len(want), float(gap[index]), worst if gap[index] > 0 else "")


def run_check(check: Check, seed: int, sample: float = 1.0) -> CheckReport:
    """Run one check at a share of its declared size; an exception inside it is a failure."""
    samples = max(1, math.ceil(check.samples * sample))
    try:
        result = check.run(samples, seed)
    except Exception as error:  # reported as a failure of the check, with its type and text
        detail = f"{type(error).__name__}: {error}"
        return CheckReport(check.name, False, 0, math.inf, check.tolerance, detail)
    passed = result.cases > 0 and result.max_error <= check.tolerance
    detail = result.worst if result.cases else "the check compared nothing"
    return CheckReport(
        check.name, passed, result.cases, float(result.max_error), check.tolerance, detail
    )
