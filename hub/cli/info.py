"""`hub info ID`: everything about one environment, also about an absent one."""

from __future__ import annotations

from typing import Any

import click

import hub
from hub.cli.output import EnvId, console, json_option, write_json
from hub.describe import describe

# What the table shows first, in this order; options and rules follow it.
FACTS = (
    "id", "summary", "family", "backend", "available", "reason", "fix", "plugin", "reference",
    "fidelity_status", "licence", "docs", "max_episode_steps", "kwargs", "nondeterministic",
    "entry_point", "vector_entry_point", "observation_space", "action_space", "render_modes",
    "bench",
)  # fmt: skip


@click.command()
@click.argument("env_id", metavar="ID", type=EnvId())
@json_option
def command(env_id: str, json_path: str | None) -> None:
    """Show the card, spaces, options and rules of environment ID."""
    described = describe(hub.PLUGINS.registry.card(env_id))
    write_json({"environment": described}, "hub.info/1", json_path)
    if json_path != "-":
        _print(described)


def _print(described: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name in FACTS:
        if described[name] not in (None, "", [], {}, ()):
            facts.add_row(name.replace("_", " "), Text(_text(described[name])))
    out.print(facts)
    for title, key in (("Options", "options"), ("Vector options", "vector_options")):
        if described[key]:
            out.print(f"\n[bold]{title}[/bold]")
            out.print(_options(described[key]))
    if described["rules"]:
        out.print("\n[bold]Rules[/bold]")
        out.print(Text(described["rules"]))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={item!r}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _options(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("option", "type", "default"):
        table.add_column(name, no_wrap=name == "option")
    for row in rows:
        default = "(required)" if row["required"] else repr(row["default"])
        table.add_row(row["name"], Text(row["type"]), Text(default))
    return table
