"""Fields of dataset rows, read with messages that name the row and the field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hub.errors import TaskError

Row = Mapping[str, Any]


def text(row: Row, name: str, where: str, default: str | None = None) -> str:
    """Return a text field; `default` stands in for an absent or null one, None for "must be".

    Raises:
        TaskError: It is no text, or must be and is empty.
    """
    value = row.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise TaskError(f"{where}: {name} {value!r:.80}: expected a text")
    return value


def first(row: Row, names: tuple[str, ...], where: str) -> str:
    """Return the first of the text fields `names` that is neither absent nor empty, else ""."""
    found = (text(row, name, where, "") for name in names)
    return next((value for value in found if value.strip()), "")


def names(row: Row, name: str, where: str) -> tuple[str, ...]:
    """Return a list of texts, given as such or as a text that holds it in JSON.

    SWE-bench has the second form, the other datasets the first.

    Raises:
        TaskError: It is neither.
    """
    value = row.get(name)
    if isinstance(value, str):
        value = decoded(value, name, where) if value.strip() else []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TaskError(f"{where}: {name} {value!r:.80}: expected a list of texts, or one in JSON")
    return tuple(dict.fromkeys(value))


def mapping(row: Row, name: str, where: str) -> dict[str, Any]:
    """Return an object, given as such or as a text that holds it in JSON.

    Raises:
        TaskError: It is neither.
    """
    value = row.get(name)
    if isinstance(value, str):
        value = decoded(value, name, where)
    if not isinstance(value, dict):
        raise TaskError(f"{where}: {name} {value!r:.80}: expected an object, or one in JSON")
    return value


def decoded(value: str, name: str, where: str) -> Any:
    """Return what a text holds in JSON.

    Raises:
        TaskError: It holds none.
    """
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{where}: {name} {value!r:.60}: not valid JSON ({error})") from error
