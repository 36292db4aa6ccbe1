"""Comparing one step of the engine with one of the reference, for any observation space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hub.fidelity.plans import Array

Same: TypeAlias = Callable[[Any, Any], Array]
"""`(expected, actual) -> ` elementwise equality."""


@dataclass(frozen=True)
class Gap:
    """The first field of a step that differs.

    Attributes:
        field: `"observation[3]"`, `"reward"`, `"terminated"` or `"truncated"`.
        expected: The reference's value.
        actual: The engine's value.
    """

    field: str
    expected: Any
    actual: Any


def equal(expected: Any, actual: Any) -> Array:
    """Elementwise equality; of two floats the wider one is first brought to the other's dtype.

    NaN equals NaN. Shapes must broadcast; `first_gap` looks at them before.
    """
    want, got = _narrowed(np.asarray(expected), np.asarray(actual))
    if _floats(want, got):
        return np.asarray((want == got) | (np.isnan(want) & np.isnan(got)))
    return np.asarray(want == got)


class Near:
    """Elementwise equality of floats up to a tolerance; of everything else, `equal`.

    Attributes:
        tolerance: Largest absolute difference that counts as none.
        largest: Largest difference met so far among those.
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.largest = 0.0

    def __call__(self, expected: Any, actual: Any) -> Array:
        """Compare two values; shapes must broadcast."""
        same = equal(expected, actual)
        want, got = _narrowed(np.asarray(expected), np.asarray(actual))
        if same.all() or not _floats(want, got):
            return same
        error = np.where(same, 0.0, np.abs(want.astype(np.float64) - got))
        near = error <= self.tolerance
        self.largest = max(self.largest, float(np.max(error, where=near, initial=0.0)))
        return np.asarray(near)


def _narrowed(want: Array, got: Array) -> tuple[Array, Array]:
    if not _floats(want, got):
        return want, got
    dtype = min(want.dtype, got.dtype, key=lambda each: each.itemsize)
    return want.astype(dtype, copy=False), got.astype(dtype, copy=False)


def _floats(want: Array, got: Array) -> bool:
    return want.dtype.kind == got.dtype.kind == "f"


def first_gap(field: str, expected: Any, actual: Any, same: Same = equal) -> Gap | None:
    """First place where two values of one space differ, or None.

    Args:
        field: Name of the value.
        expected: Array, scalar, text, or a dict or tuple of those.
        actual: Likewise.
        same: Compares two arrays.
    """
    if isinstance(expected, Mapping):
        if not isinstance(actual, Mapping) or set(expected) != set(actual):
            return Gap(field, expected, actual)
        pairs = [(f"{field}.{key}", expected[key], actual[key]) for key in expected]
    elif isinstance(expected, tuple):
        if not isinstance(actual, tuple) or len(expected) != len(actual):
            return Gap(field, expected, actual)
        items = zip(expected, actual, strict=True)
        pairs = [(f"{field}.{i}", want, got) for i, (want, got) in enumerate(items)]
    else:
        return _array_gap(field, expected, actual, same)
    return next((gap for pair in pairs if (gap := first_gap(*pair, same))), None)


def _array_gap(field: str, expected: Any, actual: Any, same: Same) -> Gap | None:
    want, got = np.asarray(expected), np.asarray(actual)
    if want.shape != got.shape:
        return Gap(f"{field} shape", list(want.shape), list(got.shape))
    alike = same(want, got)
    if alike.all():
        return None
    if not alike.shape:
        return Gap(field, want.item(), got.item())
    index = tuple(int(i) for i in np.argwhere(~alike)[0])
    place = ", ".join(map(str, index))
    return Gap(f"{field}[{place}]", want[index].item(), got[index].item())
