"""Comparing one step of the engine with one of the reference, for any observation space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hub.fidelity.plans import Array


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
    """Elementwise equality; a wider float is first brought to the engine's dtype.

    NaN equals NaN. Shapes must broadcast; `first_gap` looks at them before.
    """
    want, got = np.asarray(expected), np.asarray(actual)
    if want.dtype.kind == got.dtype.kind == "f":
        if want.dtype.itemsize > got.dtype.itemsize:
            want = want.astype(got.dtype)
        return np.asarray((want == got) | (np.isnan(want) & np.isnan(got)))
    return np.asarray(want == got)


def first_gap(field: str, expected: Any, actual: Any) -> Gap | None:
    """First place where two values of one space differ, or None.

    Args:
        field: Name of the value.
        expected: Array, scalar, text, or a dict or tuple of those.
        actual: Likewise.
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
        return _array_gap(field, expected, actual)
    return next((gap for pair in pairs if (gap := first_gap(*pair))), None)


def _array_gap(field: str, expected: Any, actual: Any) -> Gap | None:
    want, got = np.asarray(expected), np.asarray(actual)
    if want.shape != got.shape:
        return Gap(f"{field} shape", list(want.shape), list(got.shape))
    same = equal(want, got)
    if same.all():
        return None
    if not same.shape:
        return Gap(field, want.item(), got.item())
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    place = ", ".join(map(str, index))
    return Gap(f"{field}[{place}]", want[index].item(), got[index].item())
