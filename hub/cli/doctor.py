"""`hub doctor`: what is here, what is missing and the fix."""

from __future__ import annotations

from dataclasses import asdict

import click

from hub.cli.output import console, json_option, write_json
from hub.doctor import examine
from hub.finding import Finding

MARKS = {"ok": "green", "missing": "yellow", "problem": "red"}


@click.command()
@json_option
def command(json_path: str | None) -> int:
    """Say what is here, what is missing and the fix.

    Exit status 1 when something is wrong; an absent optional part is not.
    """
    parts = examine()
    rows = [{"part": part, **asdict(f)} for part, found in parts.items() for f in found]
    write_json({"findings": rows}, "hub.doctor/1", json_path)
    if json_path != "-":
        _print(parts)
    return 1 if any(row["status"] == "problem" for row in rows) else 0


def _print(parts: dict[str, list[Finding]]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    for part, findings in parts.items():
        table = Table(box=None, show_header=False, pad_edge=False)
        for fold in ("ignore", "fold", "fold"):
            table.add_column(no_wrap=fold == "ignore", overflow="fold")
        for finding in findings:
            text = Text(finding.message)
            if finding.fix:
                text.append(f"\nfix: {finding.fix}", "bold")
            table.add_row(Text(finding.status, MARKS[finding.status]), finding.name, text)
        out.print(f"[bold]{part}[/bold]")
        out.print(table if findings else "nothing")
        out.print()
