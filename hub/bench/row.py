"""One measured figure, and the comparison of two documents of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from hub.bench.case import Case
from hub.errors import BenchError

# Units of which less is better; every other unit is a rate, of which more is better.
TIMES = frozenset({"s", "ms", "us", "ns"})


@dataclass(frozen=True)
class Row:
    """One figure: a median with its quartiles, beside its reference of the same run.

    Attributes:
        suite: Name of the suite.
        id: The environment measured (or what else the suite measures).
        case: What was done, in the notation of `hub.bench.Case` where it fits.
        unit: `steps/s`, `s`, `ms`...
        median: Median over the rounds, in `unit`; None when nothing was measured.
        low: Lower quartile.
        high: Upper quartile.
        per_cpu_second: Median per second of CPU time of the whole process, threads included.
        reference: What `ratio` compares with; empty when nothing is.
        reference_median: Its median, in `unit`.
        ratio: How many times better than the reference: `median / reference_median` for rates,
            the inverse for times.
        goal: The least `ratio` that is good enough, or None.
        error: Why nothing was measured though it should have been (JSON: only when there is one).
        skipped: Why nothing was measured and that is in order: an optional part is absent, the
            machine has too few cores (JSON: only when there is one).
    """

    suite: str
    id: str
    case: str
    unit: str
    median: float | None = None
    low: float | None = None
    high: float | None = None
    per_cpu_second: float | None = None
    reference: str = ""
    reference_median: float | None = None
    ratio: float | None = None
    goal: float | None = None
    error: str = ""
    skipped: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What identifies the figure in another run."""
        return self.suite, self.id, self.case, self.unit

    @property
    def missed(self) -> bool:
        """Tell whether the row has a goal and did not reach it."""
        return self.goal is not None and self.ratio is not None and self.ratio < self.goal

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object; `error` and `skipped` only when they say something."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        return {k: v for k, v in data.items() if v or k not in ("error", "skipped")}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Row:
        """Make a row of what `to_json` returned."""
        return cls(**data)


def rate_case(row: Row) -> Case | None:
    """Return the case of a row of steps per second; None for times, goals and other words."""
    if row.goal is not None or row.unit != "steps/s":
        return None
    try:
        return Case.parse(row.case)
    except BenchError:
        return None


def better(unit: str, value: float | None, reference: float | None) -> float | None:
    """Return how many times better `value` is than `reference`; above 1 is always better."""
    if not value or not reference:
        return None
    return reference / value if unit in TIMES else value / reference


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return median, lower and upper quartile (linear interpolation, ends included)."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return median, low, high


def compare(old: Sequence[Row], new: Sequence[Row]) -> list[dict[str, Any]]:
    """Return, for each figure in both runs, old and new median and how many times better.

    `within_spread` is true when the quartile ranges of the two overlap: then the difference says
    nothing.
    """
    before = {row.key: row for row in old}
    changes = []
    for row in new:
        was = before.get(row.key)
        if was is None or was.median is None or row.median is None:
            continue
        names = dict(zip(("suite", "id", "case", "unit"), row.key, strict=True))
        ratio = better(row.unit, row.median, was.median)
        values = {"old": was.median, "new": row.median, "ratio": ratio}
        changes.append({**names, **values, "within_spread": _overlap(was, row)})
    return changes


def _overlap(a: Row, b: Row) -> bool:
    ends = (a.low, a.high, b.low, b.high)
    if None in ends:
        return False
    return max(a.low or 0.0, b.low or 0.0) <= min(a.high or 0.0, b.high or 0.0)
