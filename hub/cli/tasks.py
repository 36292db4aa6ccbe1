"""`hub tasks`: whether the tasks of an agent environment can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import gymnasium

import hub
from hub.cli.output import EnvId, console, json_option, set_option, write_json
from hub.registry import bare_id, full_id

if TYPE_CHECKING:
    from hub.dialogue.validate import Finding, Progress

COLOURS = {"good": "green", "flaky": "yellow", "broken": "bold red", "unknown": "magenta"}


@click.group()
def command() -> None:
    """Look after the tasks of agent environments."""


@command.command("validate")
@click.argument("env_id", metavar="ID", type=EnvId())
@click.option("-k", "--k", "times", type=click.IntRange(1), default=3, show_default=True,
              help="Times that each agent plays each task.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="The first N tasks.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="All tasks, whatever --limit says.")
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="Only this one; repeatable.")
@set_option
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="At once.")
@click.option("--quarantine", type=click.Path(dir_okay=False, path_type=Path), metavar="PATH",
              help="Write flaky and broken tasks here, for the environment's option of that name.",
              )  # fmt: skip
@json_option
def validate_command(
    env_id: str,
    times: int,
    limit: int,
    every: bool,
    tasks: tuple[str, ...],
    options: dict[str, Any],
    jobs: int,
    quarantine: Path | None,
    json_path: str | None,
) -> int:
    """Validate the tasks of environment ID by an oracle, a null agent and cheats.

    The oracle must score 1, the null agent and every cheat 0, each time. A task that differs from
    time to time is flaky, one that is always wrong is broken. An interrupt (Ctrl-C) ends it, and
    what was found until then is told; go on with --task.
    Exit status: 0 all good, 1 something was found, 2 it could not be run, 130 interrupted.
    """
    from hub.dialogue import write_quarantine
    from hub.dialogue.validate import quarantined

    other = bare_id(env_id) in gymnasium.registry  # registered by hand, in this process
    full = full_id(env_id) if other else hub.PLUGINS.registry.card(env_id).id
    found, stopped = _validated(
        full, json_path, k=times, limit=None if every else limit, tasks=tasks, options=options,
        jobs=jobs,
    )  # fmt: skip
    if quarantine:
        write_quarantine(quarantine, full, quarantined(found))
    results = [finding.to_json() for finding in found]
    report = {"id": full, "k": times, "interrupted": bool(stopped), "tasks": results}
    write_json(report, "hub.tasks.validate/1", json_path)
    _print(found, quarantine, json_path)
    if stopped:
        console(stderr=True).print(stopped)
        return 130
    return int(any(finding.status != "good" for finding in found))


def _validated(env_id: str, json_path: str | None, **how: Any) -> tuple[list[Finding], str]:
    """Validate, with progress; return what was found, and what to say of an interrupt."""
    from hub.dialogue.validate import validate

    found: list[Finding] = []
    total = "the"

    def progress(so_far: Sequence[Finding], number: int) -> None:
        nonlocal total
        found[:], total = so_far, str(number)
        tell(found, number)

    try:
        with _progress(json_path) as tell:
            return validate(env_id, progress=progress, **how), ""
    except KeyboardInterrupt:
        return found, f"interrupted: {len(found)} of {total} tasks were validated."


def _print(found: Sequence[Finding], quarantine: Path | None, json_path: str | None) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console(json_path)
    table = Table(box=None)
    for name in ("task", "status", "oracle", "null", "cheats held", "found"):
        table.add_column(name, overflow="fold")
    for one in found:
        oracle, null, *cheats = one.trials
        held = sum(trial.status == "good" for trial in cheats)
        table.add_row(
            escape(one.task),
            f"[{COLOURS[one.status]}]{one.status}[/]",
            _rewards(oracle.rewards),
            _rewards(null.rewards),
            f"{held} of {len(cheats)}",
            escape(one.reason),
        )
    out.print(table)
    good = sum(one.status == "good" for one in found)
    out.print(f"{good} of {len(found)} tasks are good.")
    if quarantine:
        out.print(f"quarantine: {quarantine}", soft_wrap=True, markup=False)


def _rewards(rewards: tuple[float | None, ...]) -> str:
    return " ".join("none" if reward is None else f"{reward:g}" for reward in rewards)


@contextmanager
def _progress(json_path: str | None) -> Iterator[Progress]:
    """Give what writes a line to standard error for each task, with a bar where somebody looks."""
    from rich.markup import escape
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    out = console(stderr=True)

    def tell(found: Sequence[Finding], total: int) -> None:
        one = found[-1]
        line = f"{len(found)} of {total}: {escape(one.task)} is [{COLOURS[one.status]}]{one.status}"
        out.print(line, soft_wrap=True)

    if not out.is_interactive:  # rich would end what nobody sees with an empty line
        yield tell
        return
    columns = (*Bar.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=out, transient=True) as bar:
        task = bar.add_task("validating", total=None)

        def shown(found: Sequence[Finding], total: int) -> None:
            tell(found, total)
            bar.update(task, completed=len(found), total=total)

        yield shown
