"""Checks of a card's fields: of what kind each is, before anything reads it.

Each check raises `CardError` that begins with `where` (`"hub:acme/Walk-v0: summary"`), shows the
value and says what was expected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hub.errors import CardError

TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
# What `hub.bench.keys` reads; it describes them.
BENCH_KEYS = frozenset({"reference", "peers", "layers", "lanes", "goals"})
# Control characters would break a listing's lines or reach the terminal; lone surrogates cannot
# be printed at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def check_text(where: str, value: Any, *, empty: bool = False) -> None:
    """Take one line of text; an empty one only with `empty`."""
    if not isinstance(value, str) or _UNPRINTABLE.search(value) or not (empty or value.strip()):
        kind = "a text" if empty else "a text that is not empty"
        raise CardError(f"{where} {value!r}: expected {kind}, of one line and printable")


def check_switch(where: str, value: Any) -> None:
    """Take True or False."""
    if not isinstance(value, bool):
        raise CardError(f"{where} {value!r}: expected True or False")


def check_target(where: str, value: Any) -> None:
    """Take `module:name`."""
    if not (isinstance(value, str) and TARGET.fullmatch(value)):
        raise CardError(f"{where} {value!r}: expected 'module:name'")


def check_limit(where: str, value: Any) -> None:
    """Take None or a whole number of at least 1; True is none."""
    if value is not None and (type(value) is not int or value < 1):
        raise CardError(f"{where} {value!r}: expected a whole number >= 1, or None")


def check_json(where: str, value: Any) -> None:
    """Take a mapping that is the same after a way through JSON."""
    if not isinstance(value, Mapping):
        raise CardError(f"{where} {value!r}: expected a dict")
    plain = dict(value)
    try:
        same = json.loads(json.dumps(plain, allow_nan=False)) == plain
    except (TypeError, ValueError) as error:
        raise CardError(
            f"{where} holds a value that JSON cannot ({error}); "
            "register paths, dicts or 'module:function' strings and build objects in the class"
        ) from error
    if not same:
        raise CardError(
            f"{where} does not survive JSON (a tuple, or a key that is no string?): {plain!r}"
        )


def check_bench(where: str, value: Any) -> None:
    """Take a JSON mapping of `BENCH_KEYS`."""
    check_json(where, value)
    unknown = sorted(set(value) - BENCH_KEYS)
    if unknown:
        keys = ", ".join(sorted(BENCH_KEYS))
        raise CardError(f"{where} has the key {unknown[0]!r}: expected of {keys}")
