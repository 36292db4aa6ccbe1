"""`hub rescore`: grade recorded episodes again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hub.cli.output import console, json_option, write_json

if TYPE_CHECKING:
    from hub.dialogue import Rescored


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--grader", metavar="MODULE:FUNCTION", help="Another grader than the environment's.")
@json_option
def command(file: str, grader: str | None, json_path: str | None) -> None:
    """Grade the submissions that FILE recorded again; print old and new.

    A grader is a function (task, submission) -> hub.dialogue.Grade. Exit status 1 when a grade has
    changed or the grader failed.
    """
    from hub.dialogue import grader_of, read_records, rescore
    from hub.errors import UnknownOption

    if grader is not None and ":" not in grader:
        raise UnknownOption(f"--grader {grader!r}: expected module:function")
    given = grader_of(grader) if grader else None
    rows = [row(rescore(recording, given)) for recording in read_records(file)]
    write_json({"file": file, "grader": grader, "episodes": rows}, "hub.rescore/1", json_path)
    if json_path != "-":
        _print(rows)
    if any(r["changed"] or r["failed"] for r in rows):
        click.get_current_context().exit(1)


def row(rescored: Rescored) -> dict[str, Any]:
    """Return the JSON object of one episode."""
    grade = rescored.grade
    return {
        "episode": rescored.recording.episode,
        "task": rescored.recording.task.id,
        "old": rescored.old,
        "new": rescored.new,
        "changed": grade is not None and rescored.old != rescored.new,
        "failed": rescored.failed,
        "outcome": str(grade.outcome) if grade else None,
        "parts": dict(grade.parts) if grade else {},
        "note": grade.reason if grade else rescored.note,
    }


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("episode", "task", "old", "new", "", "note"):
        table.add_column(name, justify="right" if name in ("old", "new") else "left")
    for r in rows:
        mark = Text("changed" if r["changed"] else "failed" if r["failed"] else "", "bold yellow")
        cells = (r["episode"][:12], r["task"], str(r["old"]), str(r["new"]))
        table.add_row(*cells, mark, Text(r["note"]))
    out = console()
    out.print(table)
    out.print(f"{sum(r['changed'] for r in rows)} of {len(rows)} grades changed")
