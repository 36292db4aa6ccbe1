"""Deep, comparable, hashable copies of whatever an environment returns.

A snapshot is a flat dict from path (`observation['image']`, `info['scores'][2]`) to a leaf: a
number, a string, None, or an array that shares no memory with the original. So the same form
serves to notice that returned data changed later, to compare two runs and name the first field
that differs, and to hash a run for another process. An object compared with itself would hide
every fault of an environment that reuses its buffers (bugs: Gymnasium#1681).
"""

from __future__ import annotations

import enum
import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

Snapshot = dict[str, Any]

PLAIN = (bool, int, float, complex, str, bytes, type(None))
# Data deeper or larger than this is summarised by its type: an info that refers to the whole
# environment is not data, and must not make the suite slow.
MAX_DEPTH, MAX_LEAVES = 12, 20_000


class Opaque(str):
    """The leaf that stands for a value which cannot be compared: its type's name."""

    __slots__ = ()


def snapshot(value: Any, path: str) -> Snapshot:
    """Return the flat copy of `value` under `path`."""
    leaves: Snapshot = {}
    _flatten(value, path, leaves, 0)
    return leaves


def _flatten(value: Any, path: str, out: Snapshot, depth: int) -> None:
    if isinstance(value, PLAIN) and not isinstance(value, enum.Enum):
        out[path] = value
    elif isinstance(value, np.generic):
        out[path] = value.copy()
    elif isinstance(value, np.ndarray) and value.dtype != object:
        out[path] = np.array(value, copy=True)
    elif depth >= MAX_DEPTH or len(out) >= MAX_LEAVES:
        out[path] = Opaque(type(value).__qualname__)
    else:
        _flatten_compound(value, path, out, depth + 1)


def _flatten_compound(value: Any, path: str, out: Snapshot, depth: int) -> None:
    if isinstance(value, Mapping):
        out[path] = Opaque(f"mapping of {len(value)}")
        for key in sorted(value, key=repr):
            _flatten(value[key], f"{path}[{key!r}]", out, depth)
    elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        out[path] = Opaque(f"sequence of {len(value)}")
        for index, item in enumerate(value):
            _flatten(item, f"{path}[{index}]", out, depth)
    elif isinstance(value, set | frozenset):
        # Sorted, so that the hash seed of the process does not count as a difference.
        _flatten(sorted(map(repr, value)), path, out, depth)
    elif isinstance(value, enum.Enum):
        out[path] = f"{type(value).__qualname__}.{value.name}"
    elif hasattr(value, "__array__"):
        _flatten(np.array(value, copy=True), path, out, depth)
    else:
        state = getattr(value, "__dict__", None)
        out[path] = Opaque(type(value).__qualname__)
        if isinstance(state, dict) and not callable(value):
            for name in sorted(state):
                _flatten(state[name], f"{path}.{name}", out, depth)


def opaque_leaves(leaves: Snapshot) -> list[str]:
    """Return the paths that hold a value that cannot be compared."""
    kinds = ("mapping of ", "sequence of ")
    return [p for p, v in leaves.items() if isinstance(v, Opaque) and not v.startswith(kinds)]


def difference(first: Snapshot, second: Snapshot, tolerance: float = 0.0) -> tuple[str, str] | None:
    """Return `(path, "0.1 and 0.2")` of the first leaf that differs, or None.

    Args:
        first: A snapshot.
        second: Another of the same kind of data.
        tolerance: Absolute and relative tolerance of floats; 0 asks for equal values. NaN equals
            NaN: whether it may occur is another rule's question.
    """
    for path, leaf in first.items():
        if path not in second:
            return path, f"{_show(leaf)} and nothing"
        if not _same(leaf, second[path], tolerance):
            return path, _contrast(leaf, second[path])
    for path in second:
        if path not in first:
            return path, f"nothing and {_show(second[path])}"
    return None


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            return False
        if not (np.issubdtype(a.dtype, np.inexact) or np.issubdtype(b.dtype, np.inexact)):
            return bool(np.array_equal(a, b))
        if tolerance:
            return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))
        return bool(np.array_equal(a, b, equal_nan=True))
    if isinstance(a, float | np.floating) and isinstance(b, float | np.floating):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        if tolerance and math.isfinite(a) and math.isfinite(b):
            return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    return bool(a == b)


def _contrast(a: Any, b: Any) -> str:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape and a.ndim:
        unequal = np.argwhere(~((a == b) | ((a != a) & (b != b))))
        if len(unequal):
            at = tuple(int(i) for i in unequal[0])
            more = f"; {len(unequal)} of {a.size} elements differ" if len(unequal) > 1 else ""
            return f"{_show(a[at])} and {_show(b[at])} at {list(at)}{more}"
    return f"{_show(a)} and {_show(b)}"


def _show(value: Any) -> str:
    text = str(value) if isinstance(value, Opaque | np.generic) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "..."


def digest(leaves: Snapshot) -> str:
    """Return a hash of a snapshot that is equal in every process for equal data."""
    state = hashlib.blake2b(digest_size=8)
    for path, leaf in leaves.items():
        if isinstance(leaf, np.ndarray):
            raw = f"{leaf.dtype.str}{leaf.shape}".encode() + _normal(leaf).tobytes()
        elif isinstance(leaf, float | np.floating):
            raw = (float(leaf) + 0.0).hex().encode()
        else:
            raw = repr(leaf).encode()
        state.update(f"{path}\0{len(raw)}\0".encode() + raw)
    return state.hexdigest()


def _normal(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return `array` with one bit pattern for NaN and one for zero, as equality sees them."""
    if not np.issubdtype(array.dtype, np.floating):
        return array
    array = array + array.dtype.type(0)
    array[np.isnan(array)] = np.nan
    return array


def field_of(path: str) -> str:
    """Return the first part of a path: `observation`, `reward`, `terminated`, `info`..."""
    return path.partition("[")[0].partition(".")[0]


def values(leaves: Snapshot) -> Snapshot:
    """Return the leaves without the marks of mappings: merging infos rightly drops an empty one."""
    return {
        path: leaf
        for path, leaf in leaves.items()
        if not (isinstance(leaf, Opaque) and leaf.startswith("mapping of "))
    }
