"""`hub list`: every environment, absent ones with the reason and the fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

import click

import hub
from hub.cli.output import console, json_option, visible, write_json
from hub.describe import availability, fidelity
from hub.registry import Backend, EnvCard, Family

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

TABLE_WIDTH = 100  # columns; in fewer, a table folds each summary to a word a line


def row(card: EnvCard) -> dict[str, Any]:
    """Return the JSON object of one environment."""
    return {
        "id": card.id,
        "family": card.family,
        "backend": card.backend,
        **availability(card),
        "fidelity": _fidelity(card),
    }


def _fidelity(card: EnvCard) -> str | None:
    """Return the certificate's standing; one card must not take the list of all others down."""
    try:
        return fidelity(card)
    except Exception as error:  # the import system may raise anything for what a card names
        return f"unknown: {type(error).__name__}: {error}"


def _filters(function: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--family", type=click.Choice(get_args(Family)), help="Only this family."),
        click.option("--backend", type=click.Choice(get_args(Backend)), help="Only this backend."),
        click.option("--namespace", help="Only ids of this namespace."),
        click.option(
            "--available/--absent", default=None, help="Only those that can (cannot) be made here."
        ),
    ):
        function = option(function)
    return function


@click.command()
@click.argument("text", default="")
@_filters
@json_option
def command(
    text: str,
    family: str | None,
    backend: str | None,
    namespace: str | None,
    available: bool | None,
    json_path: str | None,
) -> None:
    """List the environments whose id or summary contains TEXT.

    A plugin that failed is told on standard error; `hub plugins` and `hub doctor` judge it.
    """
    found = [
        (card, row(card))
        for card in hub.PLUGINS.registry
        if text.lower() in f"{card.id} {card.summary}".lower()
        and family in (None, card.family)
        and backend in (None, card.backend)
        and namespace in (None, card.namespace)
    ]
    found = [(card, r) for card, r in found if available in (None, r["available"])]
    write_json({"environments": [r for _, r in found]}, "hub.list/1", json_path)
    if json_path != "-":
        _print(found)
    _tell_failures()


def _print(found: list[tuple[EnvCard, dict[str, Any]]]) -> None:

    out = console()
    if not found:
        out.print("no environment matches")
    elif out.width < TABLE_WIDTH:
        _print_narrow(found, out)
    else:
        _print_table(found, out)


def _tell_failures() -> None:
    """Say on standard error, also beside JSON, what is not in the list and why."""
    for record in hub.PLUGINS.records:
        if record.status == "failed":
            words = f"failed, its environments are not listed: {record.error}"
            click.echo(visible(f"plugin {record.label} {words}"), err=True)


def _here(r: dict[str, Any]) -> Text:
    from rich.text import Text

    here = Text("yes", "green") if r["available"] else Text(f"no: {r['reason']}", "yellow")
    return here.append(f"\nfix: {r['fix']}") if r["fix"] else here


def _print_table(found: list[tuple[EnvCard, dict[str, Any]]], out: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("id", "backend", "fidelity", "here", "summary"):
        table.add_column(name, no_wrap=name == "id", overflow="fold")
    for card, r in found:
        fidelity = r["fidelity"] or "-"
        table.add_row(r["id"], r["backend"], fidelity, _here(r), Text(card.summary))
    out.print(table)


def _print_narrow(found: list[tuple[EnvCard, dict[str, Any]]], out: Console) -> None:
    """A few lines for each environment, where columns would be too narrow to read."""
    from rich.padding import Padding
    from rich.text import Text

    for card, r in found:
        facts = Text(f"{r['backend']}, fidelity {r['fidelity'] or '-'}, here: ").append(_here(r))
        out.print(Text(r["id"], "bold"))
        out.print(Padding(Text("\n").join([Text(card.summary), facts]), (0, 0, 0, 2)))
