"""The JSON document of a run, schema `hub.bench/1`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hub.bench.machine import commit, machine, versions
from hub.bench.row import Row
from hub.errors import BenchError

SCHEMA = "hub.bench/1"


def document(rows: Sequence[Row]) -> dict[str, Any]:
    """Return `machine`, `versions`, `commit` and `rows` as JSON values."""
    return {
        "machine": machine(),
        "versions": versions(row.id for row in rows),
        "commit": commit(),
        "rows": [row.to_json() for row in rows],
    }


def read_rows(path: str) -> list[Row]:
    """Read the rows of a document that `hub bench --json` wrote.

    Raises:
        BenchError: The file cannot be read, or is no such document.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        schema = data["schema"]
        if schema != SCHEMA:
            raise BenchError(f"{path}: schema {schema!r}: expected {SCHEMA!r}")
        return [Row.from_json(row) for row in data["rows"]]
    except (OSError, ValueError, TypeError, KeyError) as error:
        if isinstance(error, BenchError):
            raise
        why = f"no field {error}" if isinstance(error, KeyError) else str(error)
        raise BenchError(
            f"{path}: expected a document written by `hub bench --json` ({why})"
        ) from error
