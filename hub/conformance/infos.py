"""The rule on infos that Gymnasium's merging would corrupt.

A vector environment merges the infos of its lanes key by key into one array, whose dtype and shape
are those of the first lane that has the key. So a key that is an int in one lane and a float in
another loses its fraction, strings are cut, arrays of different shapes raise, a value may be hidden
by the mask of another key (`_name`), and a dict may meet a number.
"""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium

from hub.conformance.batch import lane_info
from hub.conformance.outcome import Finding, describe
from hub.conformance.session import SEED, Session
from hub.conformance.snapshot import Opaque, difference, snapshot
from hub.conformance.walk import walked

# Keys that vector environments write themselves in SAME_STEP mode.
RESERVED = ("final_obs", "final_info")


class _Merger(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Two lanes of nothing: Gymnasium's own merging, in the version that is installed."""

    num_envs = 2

    def merge(self, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for lane, info in enumerate((first, second)):
            merged = self._add_info(merged, info, lane)
        return merged


def vector_info(session: Session) -> str:
    """Merged by a vector environment, every lane's info is what the lane gave."""
    kinds = list(walked(session).infos.values())[:24]
    for info in kinds:
        for key in RESERVED:
            if key in info:
                text = f"the key {key!r} is taken: vector environments write it"
                raise Finding(text, field=f"info[{key!r}]", seed=SEED)
    merger, pairs = _Merger(), 0
    for first, second in itertools.product(kinds, repeat=2):
        _require_kept(merger, first, second)
        pairs += 1
    return f"{pairs} pairs of {len(kinds)} kinds of info"


def _require_kept(merger: _Merger, first: dict[str, Any], second: dict[str, Any]) -> None:
    try:
        merged = merger.merge(first, second)
    except Exception as error:
        key = _guilty(merger, first, second)
        text = f"two lanes' infos cannot be merged: {describe(error)}"
        raise Finding(text, field=key, seed=SEED) from error
    for lane, info in enumerate((first, second)):
        found = difference(_values(info), _values(lane_info(merged, lane)))
        if found:
            text = f"merging changes it: lane {lane} gave and got {found[1]}"
            raise Finding(text, field=found[0], seed=SEED)


def _values(info: dict[str, Any]) -> dict[str, Any]:
    """Return the leaves without the marks of mappings: merging drops an empty one, rightly."""
    leaves = snapshot(info, "info").items()
    return {p: v for p, v in leaves if not (isinstance(v, Opaque) and v.startswith("mapping of "))}


def _guilty(merger: _Merger, first: dict[str, Any], second: dict[str, Any]) -> str:
    """Return the key on which the merging fails."""
    for key in first.keys() & second.keys():
        try:
            merger.merge({key: first[key]}, {key: second[key]})
        except (ValueError, TypeError, OverflowError, AttributeError, KeyError, IndexError):
            return f"info[{key!r}]"
    return "info"
