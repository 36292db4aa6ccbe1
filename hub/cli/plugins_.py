"""`hub plugins`: what was loaded, what failed and why, and which claims collide."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

import hub
from hub.cli.main import shadowed_commands
from hub.cli.output import console, json_option, write_json
from hub.plugins import PluginRecord


def row(record: PluginRecord) -> dict[str, Any]:
    """Return the JSON object of one plugin."""
    components = [
        f"{c.kind} {c.name}" for c in hub.PLUGINS.components.values() if c.plugin == record.label
    ]
    return {**asdict(record), "components": sorted(components)}


@click.command()
@click.argument("name", required=False)
@json_option
def command(name: str | None, json_path: str | None) -> int:
    """List the plugins, or show NAME with the traceback of its failure.

    Exit status 1 when one failed, two claim one name, or HUB_PLUGINS names an unknown one.
    """
    known = sorted({record.name for record in hub.PLUGINS.records})
    if name is not None and name not in known:
        raise click.UsageError(f"no plugin {name!r}; installed: {', '.join(known) or 'none'}")
    rows = [row(record) for record in hub.PLUGINS.records if name in (None, record.name)]
    conflicts = [*hub.PLUGINS.conflicts, *shadowed_commands()]
    data = {
        "plugins": rows,
        "conflicts": [asdict(conflict) for conflict in conflicts],
        "unknown_names": hub.PLUGINS.unknown_names,
    }
    write_json(data, "hub.plugins/1", json_path)
    if json_path != "-":
        _print(data, details=name is not None)
    bad = conflicts or data["unknown_names"] or any(r["status"] == "failed" for r in rows)
    return 1 if bad else 0


def _print(data: dict[str, Any], details: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    table = Table(box=None, pad_edge=False)
    for column in ("plugin", "version", "status", "ms", "hooks", "registered"):
        table.add_column(column, overflow="fold", justify="right" if column == "ms" else "left")
    for r in data["plugins"]:
        style = {"failed": "red", "loaded": "green"}.get(r["status"], "yellow")
        registered = "\n".join([*r["envs"], *r["components"]])
        hooks = "\n".join(hook.removeprefix("hub_") for hook in r["hooks"])
        label = f"{r['name']} ({r['distribution']})"
        status = Text(r["status"], style)
        table.add_row(label, r["version"], status, f"{r['seconds'] * 1e3:.1f}", hooks, registered)
    out.print(table if data["plugins"] else "no plugin is installed")
    for r in data["plugins"]:
        if r["error"]:
            out.print(Text(f"{r['name']} ({r['distribution']}): {r['error']}", "red"))
        if details and r["details"]:
            out.print(Text(r["details"]))
    for c in data["conflicts"]:
        out.print(Text(f"conflict: {c['name']}: {c['kept']} keeps it, {c['refused']} does not"))
    for unknown in data["unknown_names"]:
        out.print(Text(f"HUB_PLUGINS or HUB_BLOCK_PLUGINS names {unknown}, which is not installed"))
