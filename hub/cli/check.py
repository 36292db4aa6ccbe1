"""`hub check ID`: the conformance suite over one environment."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import click

from hub.cli.output import EnvId, Finite, console, json_option, write_json
from hub.conformance import DEFAULT_SECONDS, RULES, SCHEMA, Check, Report, check

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {"pass": "green", "fail": "bold red", "skip": "dim"}


def _explain(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from rich.table import Table

    table = Table("rule", "what it asks for", box=None, pad_edge=False)
    for rule in RULES:
        table.add_row(rule.name, rule.summary)
    console().print(table)
    context.exit()


@click.command()
@click.argument("env_id", metavar="ID", type=EnvId())
@click.option(
    "--seconds",
    type=Finite(min=2.0),
    default=DEFAULT_SECONDS,
    show_default=True,
    help="Time for everything; what never returns is ended by then.",
)
@click.option("--strict", is_flag=True, help="Apply the hub's own rules to a foreign id too.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    type=click.Choice([rule.name for rule in RULES]),
    metavar="NAME",
    help="Only this rule; may be repeated. `hub check --rules` explains them.",
)
@click.option(
    "--rules",
    "explain",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_explain,
    help="Explain the rules and exit.",
)
@json_option
def command(
    env_id: str, seconds: float, strict: bool, rules: tuple[str, ...], json_path: str | None
) -> int:
    """Check the environment ID against every rule of an environment.

    ID is any id that gymnasium.make takes (CartPole-v1, module:Name-v0), or one of the hub.
    Exit status: 0 nothing found, 1 a rule is broken, 2 no such environment, or
    something that it needs is not installed.
    """
    out = console(json_path)
    names = rules or tuple(rule.name for rule in RULES)
    report = _watched(env_id, seconds, strict or None, names, out)
    write_json(report.to_json(), SCHEMA, json_path)
    if json_path != "-":
        _print(report, out)
    return 1 if report.failures else 0


def _watched(
    env_id: str, seconds: float, strict: bool | None, rules: tuple[str, ...], out: Console
) -> Report:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=out, transient=True, disable=not out.is_terminal
    ) as progress:
        task = progress.add_task(env_id, total=len(rules))

        def listen(name: str, done: Check | None) -> None:
            if done is None:
                progress.update(task, description=f"{env_id}: {name}")
                return
            progress.advance(task)
            if not out.is_terminal:
                out.print(f"{done.status:4} {name}")

        return check(env_id, seconds, strict, rules, listen)


def _print(report: Report, out: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("status", "rule", "step", "field", "seed", "what was found"):
        table.add_column(column, overflow="fold")
    for names, c in _grouped(report.checks):
        cells = ["" if v is None else str(v) for v in (c.step, c.field, c.seed)]
        table.add_row(Text(c.status, COLOURS[c.status]), names, *map(Text, cells), Text(c.message))
    out.print(table)
    counts = {s: sum(c.status == s for c in report.checks) for s in COLOURS}
    summary = ", ".join(f"{n} {s}" for s, n in counts.items())
    out.print(Text(f"{report.id}: {report.status} ({summary})", COLOURS[report.status]))
    if report.unreached:
        told = f"{len(report.unreached)} rules were not reached in time: give it more (--seconds)"
        out.print(Text(told, "yellow"))


def _grouped(checks: tuple[Check, ...]) -> list[tuple[str, Check]]:
    """Return one row for each run of rules that were skipped for one reason."""
    rows: list[tuple[str, Check]] = []
    for _, group in itertools.groupby(checks, lambda c: (c.status, c.message, c.step)):
        same = list(group)
        if same[0].status == "skip" and len(same) > 1:
            rows.append((f"{same[0].name} ... {same[-1].name} ({len(same)})", same[0]))
        else:
            rows += [(c.name, c) for c in same]
    return rows
