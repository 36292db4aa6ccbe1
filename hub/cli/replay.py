"""`hub replay`: the transcript of a recorded episode, verified, without model or sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hub.cli.output import console, json_option, visible, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from hub.dialogue import Recording

STYLES = {"system": "dim", "user": "bold cyan", "assistant": "bold green", "tool": "bold yellow"}


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--episode", help="Only this one: its number, or 8 characters of its id.")
@click.option("--quiet", is_flag=True, help="Verify and summarise; show no transcript.")
@json_option
def command(file: str, episode: str | None, quiet: bool, json_path: str | None) -> None:
    """Show and verify the episodes that FILE recorded.

    Exit status 1 when an episode contradicts itself.
    """
    from hub.dialogue import read_records

    chosen = choose(read_records(file), episode, file)
    rows = [row(number, recording) for number, recording in chosen]
    write_json({"file": file, "episodes": rows}, "hub.replay/1", json_path)
    out = console(json_path)
    if json_path != "-":
        for number, recording in chosen:
            if not quiet:
                transcript(out, number, recording)
        table(out, rows)
    if any(entry["status"] == "damaged" for entry in rows):
        click.get_current_context().exit(1)


def choose(
    recordings: list[Recording], episode: str | None, file: str
) -> list[tuple[int, Recording]]:
    """Return the chosen recordings with their numbers."""
    numbered = list(enumerate(recordings, 1))
    if episode is None:
        return numbered
    # Ids are hexadecimal, so that a short one would be mistaken for a number.
    if len(episode) < 8:
        found = [(n, r) for n, r in numbered if str(n) == episode]
    else:
        found = [(n, r) for n, r in numbered if r.episode.startswith(episode)]
    if not found:
        raise click.BadParameter(
            f"no episode {episode!r} among the {len(numbered)} of {file}", param_hint="--episode"
        )
    return found


def row(number: int, recording: Recording) -> dict[str, Any]:
    """Return the JSON object of one episode: what it was, how it ended, whether it is sound."""
    from hub.dialogue import verify
    from hub.errors import HubError

    try:
        status, error = verify(recording), ""
    except HubError as problem:
        status, error = "damaged", str(problem)
    end = recording.end or {}
    return {
        "number": number,
        "episode": recording.episode,
        "env": recording.begin["env"],
        "task": recording.task.id,
        "seed": recording.begin["seed"],
        "turns": sum(turn.role == "assistant" for turn in recording.turns),
        "tokens": sum(len(turn.token_ids) for turn in recording.turns),
        "outcome": end.get("outcome"),
        "reason": end.get("reason"),
        "reward": end.get("reward"),
        "status": status,
        "error": error,
    }


def transcript(out: Console, number: int, recording: Recording) -> None:
    """Print one conversation; what models and tools wrote is shown without markup."""
    from rich.rule import Rule
    from rich.text import Text

    from hub.dialogue.readable import readable

    out.print(Rule(Text(f"{number}. {recording.begin['env']}  task {recording.task.id}")))
    for turn in recording.turns:
        head = f"{turn.role} ({turn.ended:.1f} s)"
        out.print(Text(head, style=STYLES[turn.role]))
        out.print(Text(visible(readable(turn))), soft_wrap=True)
        out.print()
    end = recording.end
    told = (
        f"{end['outcome']}, reward {end['reward']}, {end['reason']}; {end['verdict']}".rstrip("; ")
        if end
        else "the record ends here: its writer died"
    )
    out.print(Text(visible(told), style="bold"))
    out.print()


def table(out: Console, rows: list[dict[str, Any]]) -> None:
    """Print a line for each episode."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False)
    for name in ("#", "task", "turns", "tokens", "outcome", "reward", "record"):
        made.add_column(name, justify="right" if name in ("#", "turns", "tokens") else "left")
    for r in rows:
        cells = (r["number"], r["task"], r["turns"], r["tokens"], r["outcome"] or "-")
        record = f"{r['status']}: {r['error']}" if r["error"] else r["status"]
        made.add_row(*map(str, cells), str(r["reward"]), record)
    out.print(made)
