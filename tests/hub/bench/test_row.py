from __future__ import annotations

import pytest

from hub.bench import Row, better, compare, quartiles

KEYS = [
    "suite",
    "id",
    "case",
    "unit",
    "median",
    "low",
    "high",
    "per_cpu_second",
    "reference",
    "reference_median",
    "ratio",
    "goal",
]


def test_a_row_has_exactly_the_keys_of_the_schema() -> None:
    row = Row("throughput", "hub:toy/Toy-v0", "make", "steps/s", 2.0, 1.0, 3.0)
    assert list(row.to_json()) == KEYS
    assert Row.from_json(row.to_json()) == row


def test_only_a_row_without_a_figure_says_why() -> None:
    assert list(Row("s", "i", "c", "u", error="broke").to_json()) == [*KEYS, "error"]
    assert list(Row("s", "i", "c", "u", skipped="absent").to_json()) == [*KEYS, "skipped"]


@pytest.mark.parametrize(
    ("unit", "ratio"), [("steps/s", 4.0), ("ms", 0.25), ("s", 0.25), ("steps/cpu-s", 4.0)]
)
def test_above_one_is_better_for_rates_and_times(unit: str, ratio: float) -> None:
    assert better(unit, 8.0, 2.0) == ratio


def test_without_a_reference_there_is_no_ratio() -> None:
    assert better("ms", 8.0, None) is None


def test_quartiles_are_those_of_linear_interpolation() -> None:
    assert quartiles([4.0, 1.0, 3.0, 2.0]) == (2.5, 1.75, 3.25)
    assert quartiles([5.0]) == (5.0, 5.0, 5.0)


@pytest.mark.parametrize(
    ("ratio", "goal", "missed"), [(0.59, 0.6, True), (0.6, 0.6, False), (0.1, None, False)]
)
def test_a_goal_is_the_least_ratio(ratio: float, goal: float | None, missed: bool) -> None:
    assert Row("s", "i", "c", "u", ratio=ratio, goal=goal).missed is missed


def test_a_comparison_says_how_many_times_better_and_whether_the_spreads_overlap() -> None:
    old = [Row("s", "i", "a", "ms", 8.0, 7.0, 9.0), Row("s", "i", "b", "steps/s", 10.0, 9.0, 11.0)]
    new = [
        Row("s", "i", "a", "ms", 4.0, 3.0, 5.0),
        Row("s", "i", "b", "steps/s", 11.0, 10.0, 12.0),
        Row("s", "i", "new", "ms", 1.0, 1.0, 1.0),
        Row("s", "i", "a", "s", error="broke"),
    ]
    changes = compare(old, new)
    assert [(c["case"], c["ratio"], c["within_spread"]) for c in changes] == [
        ("a", 2.0, False),
        ("b", 1.1, True),
    ]
