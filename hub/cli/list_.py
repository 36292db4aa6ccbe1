"""`hub list`: every environment, absent ones with the reason and the fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import click

import hub
from hub.cli.output import console, json_option, write_json
from hub.describe import availability, fidelity
from hub.registry import Backend, EnvCard, Family


def row(card: EnvCard) -> dict[str, Any]:
    """Return the JSON object of one environment."""
    return {
        "id": card.id,
        "family": card.family,
        "backend": card.backend,
        **availability(card),
        "fidelity": fidelity(card),
    }


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
    """List the environments whose id or summary contains TEXT."""
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


def _print(found: list[tuple[EnvCard, dict[str, Any]]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("id", "backend", "fidelity", "here", "summary"):
        table.add_column(name, no_wrap=name == "id", overflow="fold")
    for card, r in found:
        here = Text("yes", "green") if r["available"] else Text(f"no: {r['reason']}", "yellow")
        if r["fix"]:
            here.append(f"\nfix: {r['fix']}")
        table.add_row(r["id"], r["backend"], r["fidelity"] or "-", here, Text(card.summary))
    console().print(table if found else "no environment matches")
    failed = [record for record in hub.PLUGINS.records if record.status == "failed"]
    for record in failed:
        console(stderr=True).print(
            Text(f"plugin {record.label} failed, its environments are not listed: {record.error}")
        )
