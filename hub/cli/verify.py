"""`hub verify`: proof that a translation equals its reference, or that an old proof holds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import hub
from hub.cli.output import EnvId, Finite, check_writable, console, json_option, write_json
from hub.entry import require
from hub.registry import EnvCard

if TYPE_CHECKING:
    from hub.fidelity.rollouts import Progress
    from hub.fidelity.verifying import Verification


ALWAYS = frozenset({"ids", "every", "json_path", "help"})  # options of every way to run it
GOOD = ("verified", "not-checked")  # an absent optional part is no fault


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...", type=EnvId())
@click.option("--all", "every", is_flag=True, help="Every environment that declares a reference.")
@click.option("--level", type=click.IntRange(1, 4), default=4, help="Highest level to run.")
@click.option(
    "--sample",
    type=Finite(0, 1, min_open=True),
    default=1.0,
    metavar="SHARE",
    help="Share of the declared sizes of L1 to L3; below 1 no certificate is written.",
)
@click.option("--mutants", is_flag=True, help="Also inject the declared bugs, one by one.")
@click.option(
    "--force", is_flag=True, help="Write less over a certificate of other sources than these."
)
@click.option("--check", is_flag=True, help="Only compare hashes and versions; run nothing.")
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Rerun L4 with this policy file alone (as `hub train` saves it).",
)
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the trained policies of L4 here, and use those that are there.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PATH",
    help="Write the report as one HTML file.",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    ids: tuple[str, ...],
    every: bool,
    level: int,
    sample: float,
    mutants: bool,
    force: bool,
    check: bool,
    policy: Path | None,
    work: Path | None,
    html: Path | None,
    json_path: str | None,
) -> int:
    """Prove that each environment ID equals its reference.

    The levels that ran are written into the certificate, passed or failed; the others stay, with
    their own dates. When the sources changed, less than is on file is not written over it.

    Exit status 0: all that ran passed (with --check: every certificate that can be checked here
    holds); 1: something failed or is stale; 2: it could not be run.
    """
    _alone(context, "check", check)
    _alone(context, "policy", policy is not None)
    check_writable(html, json_path)
    cards = _cards(ids, every, check)
    _note_trees(cards)
    if not check:
        for card in cards:
            require(card)
    if check:
        return _check(cards, json_path)
    if policy:
        return _policy(cards, policy, json_path)
    with _work(work) as folder, _progress(json_path) as progress:
        from hub.fidelity.ladder import Run

        run = Run(level, sample, folder, progress)
        return _verify(cards, run, (mutants, force), html, json_path)


def _alone(context: click.Context, name: str, given: bool) -> None:
    """Refuse options that `--check` or `--policy` would not look at."""
    others = {parameter.name for parameter in context.command.params} - ALWAYS - {name}
    asked = [
        f"--{other}"
        for other in sorted(filter(None, others))
        if context.get_parameter_source(other) is ParameterSource.COMMANDLINE
    ]
    if given and asked:
        raise click.UsageError(f"--{name} does not go with {', '.join(asked)}: leave it out")


def _cards(ids: tuple[str, ...], every: bool, absent: bool) -> list[EnvCard]:
    registry = hub.PLUGINS.registry
    if every == bool(ids):
        raise click.UsageError("name one ID or more, or use --all")
    if ids:
        return [registry.card(env_id) for env_id in ids]
    # What is absent cannot be run, but a check of all certificates must not be silent about it.
    declared = [card for card in registry if card.fidelity and (absent or not card.missing())]
    if not declared:
        raise click.UsageError("--all: no environment here declares a reference (see `hub list`)")
    return declared


def _note_trees(cards: list[EnvCard]) -> None:
    from hub.fidelity.standing import tree_note

    for note in filter(None, map(tree_note, cards)):
        click.echo(f"note: {note}", err=True)


def _check(cards: list[EnvCard], json_path: str | None) -> int:
    from rich.markup import escape
    from rich.table import Table

    from hub.fidelity.standing import status

    found = {card.id: status(card) for card in cards}
    results = [{"id": env_id, **vars(one)} for env_id, one in found.items()]
    write_json({"results": results}, "hub.verify.check/1", json_path)
    table = Table(box=None)
    for name in ("id", "level", "state", "date", "detail"):
        table.add_column(name, overflow="fold")
    for env_id, one in found.items():
        table.add_row(env_id, f"L{one.level}", one.state, one.date, escape(one.detail))
    console(json_path).print(table)
    return int(any(one.state not in GOOD for one in found.values()))


def _policy(cards: list[EnvCard], policy: Path, json_path: str | None) -> int:
    from hub.fidelity.certificate import json_values
    from hub.fidelity.verifying import verify_policy

    if len(cards) != 1:
        raise click.UsageError("--policy needs exactly one ID")
    report = verify_policy(cards[0], policy)
    write_json({"id": cards[0].id, **json_values(report)}, "hub.verify.policy/1", json_path)
    test = report.test
    console(json_path).print(
        f"{report.policy}: {test.verdict} over {report.episodes} episode pairs (power "
        f"{report.power:.2f}): mean {test.means[0]:.4g} in {cards[0].id}, {test.means[1]:.4g} in "
        f"the reference, {1 - 2 * test.alpha:.0%} interval of the difference "
        f"[{test.interval[0]:.4g}, {test.interval[1]:.4g}], margin {test.margin:g}, "
        f"p = {test.p:.2g}. It speaks of this policy only.",
        soft_wrap=True,
        markup=False,
    )
    return int(not report.equivalent)


def _verify(
    cards: list[EnvCard], run: Any, how: tuple[bool, bool], html: Path | None, json_path: str | None
) -> int:
    from hub.fidelity.html import page
    from hub.fidelity.report import tables
    from hub.fidelity.verifying import verify

    out, results, pages = console(json_path), [], []
    mutants, force = how

    def tell(reason: str) -> None:
        click.echo(f"note: this run will write no certificate: {reason}", err=True)

    for card in cards:
        found = verify(card, run, mutants=mutants, force=force, tell=tell)
        data = found.certificate.to_json()
        pages.append(data)
        results.append({"passed": found.passed, "reason": found.reason, "certificate": data})
        for part in tables(data):
            out.print(part)
        out.print(_filed(found), soft_wrap=True, markup=False)
    write_json({"results": results}, "hub.verify/1", json_path)
    if html:
        html.write_text(page(pages), encoding="utf-8")
    return int(not all(result["passed"] for result in results))


def _filed(found: Verification) -> str:
    """Where the certificate is, with the levels in it that this run did not run; or why not."""
    if not found.written:
        return found.reason
    levels = found.certificate.levels
    kept = ", ".join(f"L{number} of {levels[number]['date']}" for number in found.kept)
    return f"certificate: {found.written}" + (f"; kept as it was: {kept}" if kept else "")


@contextmanager
def _work(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="hub-verify-") as name:
        yield Path(name)


@contextmanager
def _progress(json_path: str | None) -> Iterator[Progress]:
    from rich.progress import Progress as Bar
    from rich.progress import TimeElapsedColumn

    with Bar(
        *Bar.get_default_columns()[:3], TimeElapsedColumn(), console=console("-"), transient=True
    ) as bar:
        tasks: dict[str, Any] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield progress
