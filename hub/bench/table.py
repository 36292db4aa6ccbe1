"""Tables of a run for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.table import Table
from rich.text import Text

from hub.bench.row import Row

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def number(value: float | None) -> str:
    """Write a figure with three digits and a prefix (`12.3 M`); None is a dash."""
    if value is None:
        return "-"
    for size, prefix in _PREFIXES:
        if abs(value) >= size * 0.9995:
            return f"{_digits(value / size)} {prefix}"
    return _digits(value)


def times(ratio: float | None) -> str:
    """Write a ratio (`0.74x`, `185x`); None is a dash."""
    return "-" if ratio is None else f"{_digits(ratio)}x"


def _digits(value: float) -> str:
    size = abs(value)
    places = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.0995 else 3
    return f"{value:,.{places}f}"


def rows_tables(rows: Sequence[Row]) -> list[Table]:
    """Return one table for each environment (and suite)."""
    groups = groupby(rows, key=lambda row: (row.suite, row.id))
    return [_section(suite, env_id, list(section)) for (suite, env_id), section in groups]


def references(rows: Sequence[Row]) -> str:
    """Return what the ratios of `rows` compare with, lane counts left out."""
    plain = [row for row in rows if row.reference and row.goal is None]
    return " or ".join(dict.fromkeys(_without_lanes(row.reference) for row in plain))


def _without_lanes(case: str) -> str:
    return " ".join(word for word in case.split() if not word.startswith("lanes="))


def _section(suite: str, env_id: str, rows: Sequence[Row]) -> Table:
    beside = references(rows)
    title = Text(env_id or suite, style="bold cyan")
    title.append(f"  {suite}" + (f", ratio to {beside}" if beside else ""), style="dim")
    table = Table(box=None, pad_edge=False, title=title, title_justify="left", header_style="bold")
    table.add_column("case", overflow="fold", min_width=24)
    for name in ("median", "spread", "per cpu-s", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("goal", overflow="fold")
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> tuple[str | Text, ...]:
    if row.error:
        return (row.case, Text("failed", style="bold red"), "", "", "", Text(row.error))
    if row.skipped:
        return (row.case, Text("skipped", style="yellow"), "", "", "", Text(row.skipped))
    goal = Text("")
    if row.goal is not None:
        word, style = ("missed", "bold red") if row.missed else ("met", "green")
        goal = Text(f"{word}: at least {times(row.goal)}", style=style)
    return (
        row.case,
        f"{number(row.median)} {row.unit}",
        spread(row),
        number(row.per_cpu_second),
        times(row.ratio),
        goal,
    )


def spread(row: Row) -> str:
    """Return half the quartile range as a share of the median."""
    if not row.median or row.low is None or row.high is None or row.low == row.high:
        return "-"
    return f"±{50 * (row.high - row.low) / row.median:.0f} %"


def changes_table(changes: Sequence[dict[str, Any]]) -> Table:
    """Return the table of a comparison with an earlier run."""
    table = Table(box=None, pad_edge=False, header_style="bold", title="Against the earlier run")
    table.add_column("id", overflow="fold")
    table.add_column("case", overflow="fold")
    for name in ("old", "new", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    for change in changes:
        ratio = Text(times(change["ratio"]), style=_style(change))
        old, new = number(change["old"]), f"{number(change['new'])} {change['unit']}"
        table.add_row(change["id"], change["case"], old, new, ratio)
    return table


def _style(change: dict[str, Any]) -> str:
    if change["within_spread"] or change["ratio"] is None:
        return "dim"
    return "green" if change["ratio"] > 1 else "red"
