"""Snapshots share nothing with what they copy, and tell the first difference."""

from __future__ import annotations

import copy
import enum
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hub.conformance.snapshot import Opaque, difference, digest, opaque_leaves, snapshot

ARRAYS = hnp.arrays(
    st.sampled_from([np.float32, np.int64, np.uint8, np.bool_]), hnp.array_shapes(max_side=4)
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | ARRAYS
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


class Colour(enum.Enum):
    RED = 1


@dataclass
class Point:
    x: float
    parts: list[int]


@settings(max_examples=40, deadline=None)
@given(DATA)
def test_a_deep_copy_has_the_same_snapshot_and_hash(value: Any) -> None:
    first, second = snapshot(value, "v"), snapshot(copy.deepcopy(value), "v")
    assert difference(first, second) is None
    assert digest(first) == digest(second)


@settings(max_examples=40, deadline=None)
@given(st.lists(ARRAYS, min_size=1))
def test_a_change_of_the_original_leaves_the_snapshot_alone(arrays: list[Any]) -> None:
    before = snapshot(arrays, "v")
    kept = copy.deepcopy(before)
    for array in arrays:
        array[...] = np.zeros((), array.dtype)
    assert difference(before, kept) is None


@pytest.mark.parametrize(
    ("a", "b", "path"),
    [
        ({"x": [1, 2.5]}, {"x": [1, 2.6]}, "v['x'][1]"),
        (np.zeros(3), np.zeros(4), "v"),
        (np.array([1.0, np.nan]), np.array([np.nan, 1.0]), "v"),
        ("a", "b", "v"),
        ({"a": 1}, {"a": 1, "b": 2}, "v"),
        (Point(1.0, [2]), Point(1.0, [3]), "v.parts[0]"),
        (np.array([{"a": 1}, None], object), np.array([{"a": 2}, None], object), "v[0]['a']"),
        (float("nan"), 0.0, "v"),
        (1, None, "v"),
    ],
)
def test_the_first_difference_is_named(a: Any, b: Any, path: str) -> None:
    found = difference(snapshot(a, "v"), snapshot(b, "v"))
    assert found is not None
    assert found[0] == path
    assert digest(snapshot(a, "v")) != digest(snapshot(b, "v"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (float("nan"), float("nan")),
        (1, np.int64(1)),
        (0.0, -0.0),
        (Colour.RED, Colour.RED),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Point(1.0, [2]), Point(1.0, [2])),
    ],
)
def test_equal_values_have_no_difference(a: Any, b: Any) -> None:
    assert difference(snapshot(a, "v"), snapshot(b, "v")) is None


def test_a_tolerance_applies_to_floats_only() -> None:
    close = (
        snapshot({"x": np.float32([1.0])}, "v"),
        snapshot({"x": np.float32([1.0005])}, "v"),
    )
    assert difference(*close) is not None
    assert difference(*close, tolerance=1e-3) is None
    assert difference(snapshot(10_000, "v"), snapshot(10_001, "v"), tolerance=1e-3) is not None


def test_what_cannot_be_compared_is_told_apart_by_its_type() -> None:
    leaves = snapshot({"f": lambda: 0, "n": 1}, "v")
    assert opaque_leaves(leaves) == ["v['f']"]
    assert isinstance(leaves["v['f']"], Opaque)


def test_an_object_that_holds_itself_has_a_snapshot() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    assert len(snapshot(loop, "v")) < 100


def test_another_process_with_another_hash_seed_has_the_same_hash() -> None:
    code = (
        "from hub.conformance.snapshot import *; import numpy as np;"
        "print(digest(snapshot({'s': {'b', 'a', 'c'}, 'x': np.float32([0, 1.5])}, 'v')))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
