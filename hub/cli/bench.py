"""`hub bench`: run benchmark suites; table, JSON, HTML, comparison with an earlier run."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import gymnasium
from rich.markup import escape

from hub.bench import Plan, Row, compare
from hub.bench.document import SCHEMA, document, read_rows
from hub.bench.machine import machine
from hub.bench.report import page
from hub.bench.suites import check_names, run, suites
from hub.bench.table import changes_table, rows_tables
from hub.cli.output import EnvId, Finite, check_writable, console, json_option, write_json
from hub.errors import UnknownEnvironment
from hub.plugins import PLUGINS
from hub.registry import PREFIX

# Beyond it stand slips of the hand; what is below and does not fit in memory is a row's error.
MOST_LANES = 1 << 24


def _epilog() -> str:
    lines = [f"{name}: {summary}" for name, (_, summary) in sorted(suites().items())]
    return "Suites:\n\n" + "\n\n".join(lines)


@click.command(epilog=_epilog())
@click.argument("names", metavar="[SUITE]...", nargs=-1)
@click.option("--id", "ids", metavar="ID", type=EnvId(), multiple=True,
              help="Only this environment; repeat.")  # fmt: skip
@click.option("--lanes", metavar="N", type=click.IntRange(1, MOST_LANES), multiple=True,
              help="Lanes; repeat.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(1), help="Timed rounds of each case.")
@click.option("--seconds", type=Finite(0.0, min_open=True), help="Length of a round.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Cores.")
@click.option("--quick", is_flag=True, help="A first look: few lanes, goals shown but not held.")
@click.option("--html", "html_path", metavar="PATH", help="Write one HTML file with plots.")
@click.option("--compare", "old_path", metavar="OLD.json", help="Show ratios to an earlier run.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    ids: tuple[str, ...],
    lanes: tuple[int, ...],
    rounds: int | None,
    seconds: float | None,
    threads: int,
    quick: bool,
    html_path: str | None,
    old_path: str | None,
    json_path: str | None,
) -> int:
    """Run the benchmark SUITEs (default: throughput) and print a table.

    Every figure is a median over interleaved rounds, beside its reference of the same run. Exit
    status 1 if something failed or a goal was missed.
    """
    names = names or ("throughput",)
    check_names(names)
    old = read_rows(old_path) if old_path else None
    check_writable(html_path, json_path)
    length, count = (0.05, 3) if quick else (0.2, 7)
    known = tuple(map(_resolve, ids))
    plan = Plan(known, lanes, seconds or length, rounds or count, threads, quick)
    rows: list[Row] = []
    with _progress(plan) as shown:
        for name in names:
            rows += run(name, shown)
    data = document(rows)
    if old is not None:
        data["compare"] = compare(old, rows)
    write_json(data, SCHEMA, json_path)
    if html_path:
        Path(html_path).write_text(page(data), encoding="utf-8")
    if json_path != "-":
        _print(rows, data.get("compare"))
    failed = any(row.error for row in rows) or (not quick and any(row.missed for row in rows))
    return 1 if failed else 0


def _print(rows: list[Row], changes: list[dict[str, Any]] | None) -> None:
    screen = console()
    here = machine()
    memory = f", {here['memory_gib']} GiB" if here["memory_gib"] else ""
    text = f"measured on {here['cpu']}, {here['cores']} cores{memory}, load {here['load']}"
    screen.print(text, style="dim", markup=False)
    for table in rows_tables(rows):
        screen.print(table)
        screen.print()
    if changes is not None:
        screen.print(changes_table(changes))


def _resolve(env_id: str) -> str:
    """Return the printed form of a hub id; any other Gymnasium id is left as it is.

    Raises:
        UnknownEnvironment: Nobody registered it; the message names the nearest ids.
        gymnasium.error.Error: It is Gymnasium's in other versions only.
    """
    registry = PLUGINS.registry
    if env_id in registry or env_id.startswith(PREFIX):
        return registry.card(env_id).id
    module, _, _ = env_id.rpartition(":")
    if module:
        # Imported only where it is measured: it may be heavy, and may crash.
        if not _is_there(module):
            raise UnknownEnvironment(f"no environment {env_id}: no module {module} is installed")
        return env_id
    try:
        return gymnasium.spec(env_id).id
    except (gymnasium.error.VersionNotFound, gymnasium.error.DeprecatedEnv):
        raise
    except gymnasium.error.Error:
        return registry.card(env_id).id


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # the package around it is absent
        return False


@contextmanager
def _progress(plan: Plan) -> Iterator[Plan]:
    """Show what is being measured: a bar on a terminal, a line for each new id elsewhere."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console("-")
    if not screen.is_terminal:
        yield replace(plan, progress=_line_for_each_id())
        return
    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("")

        def show(message: str, done: int, total: int) -> None:
            bar.update(task, description=escape(message), completed=done, total=total)

        yield replace(plan, progress=show)


def _line_for_each_id() -> Callable[[str, int, int], None]:
    last = ""

    def show(message: str, done: int, total: int) -> None:
        nonlocal last
        name = message.partition(" ")[0]
        if name != last:
            last = name
            click.echo(f"measuring {name}", err=True)

    return show
