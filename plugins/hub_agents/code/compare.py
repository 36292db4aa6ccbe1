"""Whether an answer is the expected one; on the host, over plain data."""

from __future__ import annotations

import json
import math
import re
from typing import Any

RELATIVE, ABSOLUTE = 1e-6, 1e-9  # tolerance where a fractional number is expected
_WHOLE = re.compile(r"-?0x[0-9a-f]+")  # a number of so many digits that JSON is not used for it


def value_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a call answered: `{"value": encoded}` or `{"failed": why}`."""
    if "failed" in answer:
        return {"failed": answer["failed"]}
    if not answer["answer"]:
        return {"failed": f"gave no answer (exit status {answer['status']})"}
    try:
        value = json.loads(answer["answer"])
        sound = _sound(value)
    except (ValueError, RecursionError):
        sound = False
    return {"value": value} if sound else {"failed": "gave an answer that cannot be read"}


def _sound(value: Any) -> bool:
    """Tell whether `value` is what the driver's `encode` makes."""
    if isinstance(value, list):
        return all(map(_sound, value))
    if not isinstance(value, dict):
        return True
    if len(value) != 1:
        return False
    ((kind, items),) = value.items()
    if kind in ("other", "int"):
        return isinstance(items, str) and (kind == "other" or bool(_WHOLE.fullmatch(items)))
    if not isinstance(items, list) or kind not in ("tuple", "set", "frozenset", "dict"):
        return False
    pairs = kind != "dict" or all(isinstance(i, list) and len(i) == 2 for i in items)
    return pairs and all(map(_sound, items))


def same(expected: Any, value: Any) -> bool:
    """Tell whether an encoded value is `expected`, which is JSON.

    Fractional numbers compare within 1e-6; true and 1 differ; a tuple passes for a list.
    """
    if isinstance(value, dict) and list(value) == ["tuple"]:
        value = value["tuple"]
    if isinstance(value, dict) and list(value) == ["int"]:
        value = int(value["int"], 16)
    if isinstance(expected, list):
        return (
            isinstance(value, list)
            and len(value) == len(expected)
            and all(same(*pair) for pair in zip(expected, value, strict=True))
        )
    if isinstance(expected, dict):
        return _same_dict(expected, value)
    if isinstance(expected, bool) or isinstance(value, bool) or expected is None:
        return value is expected
    if isinstance(expected, int | float) and isinstance(value, int | float):
        if isinstance(expected, int) and isinstance(value, int):
            return expected == value
        return _close(expected, value)
    return isinstance(value, str) and bool(value == expected)


def _same_dict(expected: dict[str, Any], value: Any) -> bool:
    if not isinstance(value, dict) or list(value) != ["dict"]:
        return False
    pairs = value["dict"]
    found = {str(key): item for key, item in pairs if isinstance(key, str | int | float)}
    return (
        len(pairs) == len(found)
        and found.keys() == expected.keys()
        and all(same(item, found[key]) for key, item in expected.items())
    )


def _close(expected: float, value: float) -> bool:
    try:
        return math.isclose(expected, value, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:  # a whole number beyond every float
        return False


def same_text(expected: str, text: str) -> bool:
    """Tell whether two outputs are the same, word by word on the same lines.

    Space at the ends of lines and empty lines at the end do not count; where a word with a decimal
    point is expected, numbers compare within 1e-6.
    """
    lines = [text.rstrip().split("\n") for text in (expected, text)]
    return len(lines[0]) == len(lines[1]) and all(
        _same_line(a.split(), b.split()) for a, b in zip(*lines, strict=True)
    )


def _same_line(expected: list[str], words: list[str]) -> bool:
    return len(expected) == len(words) and all(map(_same_word, expected, words))


def _same_word(expected: str, word: str) -> bool:
    if expected == word:
        return True
    if "." not in expected:
        return False
    try:
        numbers = float(expected), float(word)
    except ValueError:
        return False
    return _close(*numbers)
