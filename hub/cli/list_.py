"""`hub list`: every environment, absent ones with the reason and the fix."""

from __future__ import annotations

from typing import Any, get_args

import click

import hub
from hub.cli.output import console, json_option, write_json
from hub.registry import Backend, EnvCard, Family


def row(card: EnvCard) -> dict[str, Any]:
    """Return the JSON object of one environment."""
    missing = card.missing()
    reason = ", ".join(f"{need.kind} {need.name} is not installed" for need in missing)
    return {
        "id": card.id,
        "summary": card.summary,
        "family": card.family,
        "backend": card.backend,
        "available": not missing,
        "reason": reason,
        "fix": " && ".join(dict.fromkeys(need.fix for need in missing)),
        "fidelity": None,
    }


@click.command()
@click.argument("text", required=False)
@click.option("--family", type=click.Choice(get_args(Family)), help="Only this family.")
@click.option("--backend", type=click.Choice(get_args(Backend)), help="Only this backend.")
@click.option("--available", is_flag=True, help="Only those that can be made on this machine.")
@json_option
def command(
    text: str | None,
    family: str | None,
    backend: str | None,
    available: bool,
    json_path: str | None,
) -> None:
    """List the environments whose id or summary contains TEXT."""
    rows = [
        r
        for r in map(row, hub.PLUGINS.registry)
        if (not text or text.lower() in (r["id"] + r["summary"]).lower())
        and (not family or r["family"] == family)
        and (not backend or r["backend"] == backend)
        and (not available or r["available"])
    ]
    write_json({"environments": rows}, "hub.list/1", json_path)
    if json_path != "-":
        _print(rows)


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("id", "backend", "fidelity", "available", "summary"):
        table.add_column(name, no_wrap=name == "id", overflow="fold")
    for r in rows:
        state = "yes" if r["available"] else f"no: {r['reason']}\nfix: {r['fix']}"
        table.add_row(r["id"], r["backend"], r["fidelity"] or "-", state, r["summary"])
    console().print(table if rows else "no environment matches")
