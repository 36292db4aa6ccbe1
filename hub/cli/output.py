"""What reporting commands share: `--json` (a path, or `-` for JSON alone) and tables."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

json_option = click.option(
    "--json",
    "json_path",
    metavar="PATH",
    help="Write the result as JSON to PATH, or to standard output alone with '-'.",
)


def console(json_path: str | None = None) -> Console:
    """Return the console for people: standard error when JSON has standard output."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    return Console(stderr=json_path == "-", no_color=plain, highlight=False)


def write_json(data: dict[str, Any], schema: str, json_path: str | None) -> None:
    """Write `data` with its schema name (`"hub.list/1"`) to `json_path`; None writes nothing."""
    if json_path is None:
        return
    text = json.dumps({"schema": schema, **data}, indent=2, allow_nan=False) + "\n"
    if json_path == "-":
        sys.stdout.write(text)
    else:
        Path(json_path).write_text(text, encoding="utf-8")
