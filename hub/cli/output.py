"""What reporting commands share: `--json` (a path, or `-` for JSON alone) and tables."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 200  # columns when nobody looks: rows of a table stay on one line for grep


class Finite(click.FloatRange):
    """A range of floats without NaN, which fails no comparison of click's, and infinities."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number", param, ctx)
        return number


class EnvId(click.types.StringParamType):
    """An environment's id as people type it, `[module:][namespace/]Name-vN`; known or not."""

    name = "ID"
    _FORM = re.compile(r"([\w.]*\w:)?([\w-]+/)?[\w.-]*\w[\w.-]*")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the id; what no environment could be called is a usage error."""
        env_id = str(super().convert(value, param, ctx))
        if not self._FORM.fullmatch(env_id):
            # The repr shows blanks, and characters that a terminal would hide or obey.
            self.fail(
                f"{env_id!r} is no environment's id: expected [module:][namespace/]Name-vN, for "
                "example hub:native/Pong-v0; `hub list` shows every id of the hub",
                param,
                ctx,
            )
        return env_id


json_option = click.option(
    "--json",
    "json_path",
    metavar="PATH",
    help="Write the result as JSON to PATH, or to standard output alone with '-'.",
)


def visible(text: str) -> str:
    """Return `text` with control characters as their pictures: a tool's output may hold escapes."""
    plain = text.encode("utf-8", "replace").decode()
    shown = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
    return plain.translate({**shown, **dict.fromkeys(range(0x7F, 0xA0), 0x2421)})


def console(json_path: str | None = None, stderr: bool = False) -> Console:
    """Return the console for people: standard error when JSON has standard output.

    Colours, bold and dim with them, are off when `NO_COLOR` is set or nobody looks; piped tables
    are `PIPE_WIDTH` wide.
    """
    from rich.console import Console

    to_stderr = stderr or json_path == "-"
    # Not rich's own `no_color`, which keeps the codes of bold and dim.
    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    stream = sys.stderr if to_stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(stderr=to_stderr, color_system=colours, highlight=False, width=width)


def _options(
    _: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, Any]:
    options = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r}: expected NAME=VALUE", param=parameter)
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


set_option = click.option(
    "--set",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_options,
    help="Option of the environment; VALUE is JSON or a text. Repeatable.",
)


def check_writable(*paths: str | Path | None) -> None:
    """Refuse a path that cannot be written before the minutes of work, not after.

    Raises:
        click.FileError: The folder of one of `paths` is absent or closed to this user.
    """
    for path in paths:
        if path is None or str(path) == "-":
            continue
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise click.FileError(str(path), f"no folder {folder}")
        if not os.access(folder, os.W_OK):
            raise click.FileError(str(path), f"folder {folder} cannot be written")


def write_json(data: dict[str, Any], schema: str, json_path: str | None) -> None:
    """Write `data` with its schema name (`"hub.list/1"`) to `json_path`; None writes nothing."""
    if json_path is None:
        return
    text = json.dumps({"schema": schema, **data}, indent=2, allow_nan=False) + "\n"
    if json_path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(json_path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(json_path, error.strerror or str(error)) from error
