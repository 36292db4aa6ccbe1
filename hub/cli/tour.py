"""`hub tour`: the main job of `make run`; checks, measures and plays what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import hub
from hub import picture, play
from hub.cli.output import EnvId, console, json_option, write_json
from hub.conformance import RULES
from hub.tour import CHECK_SECONDS, SCHEMA, Stop, tour

if TYPE_CHECKING:
    from rich.console import Console

SHOWPIECE = "hub:native/Pong-v0"
PLAYER = "hub_pong.players:follow"  # against a random one the game is over at 21:0
OPTIONS = {"frame_skip": 2}  # fast enough that both sides miss, and one of them wins
LIMIT = 10_000  # steps; the environment's own

UNREACHED = (
    f"not reached: of the {len(RULES)} rules, those that the tour's {CHECK_SECONDS:g} s of checks "
    "left no time for; nothing is known of them. To reach more: hub check ID --seconds 300"
)


@click.command()
@click.option("--id", "ids", metavar="ID", type=EnvId(), multiple=True,
              help="Only this environment; repeat.")  # fmt: skip
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    help="Directory of the picture.",
)
@json_option
def command(ids: tuple[str, ...], out: Path, json_path: str | None) -> int:
    """Check and benchmark every environment here, solve a task of each kind, play C Pong.

    Figures are a first look (`hub bench` measures properly). Exit status 1 if a check failed or a
    task was not solved by the agent that knows its solution.
    """
    screen = console(json_path)
    registry = hub.PLUGINS.registry
    cards = [registry.card(name) for name in ids] if ids else list(registry)
    if not cards:
        raise click.UsageError("there is no environment here (see `hub plugins`)")
    with screen.status("") as shown:
        live = screen.is_terminal
        stops = tour(cards, *((shown.update, shown.update) if live else (screen.print,)))
    shown_here = any(s.id == SHOWPIECE and s.available for s in stops)
    picture_path, told = _play(out) if shown_here else (None, "")
    write_json(
        {
            "environments": [stop.to_json() for stop in stops],
            "picture": str(picture_path) if picture_path else None,
        },
        SCHEMA,
        json_path,
    )
    if json_path != "-":
        _print(stops, screen)
        if picture_path:
            screen.print(f"played {SHOWPIECE}: {told}; its last frame: {picture_path}")
    return int(not all(stop.good for stop in stops))


def _play(out: Path) -> tuple[Path, str]:
    """Play an episode to its end; return where its last frame is, and how it went."""
    env = play.make(SHOWPIECE, ("rgb_array",), OPTIONS)
    steps, total = -1, 0.0
    try:
        for last in play.episode(env, play.agent(PLAYER, env, 0), 0, LIMIT):
            steps, total = steps + 1, total + last.reward
    finally:
        env.close()
    out.mkdir(parents=True, exist_ok=True)
    path = out / "pong.png"
    path.write_bytes(picture.png(last.frame))
    end = "terminated" if last.terminated else "truncated"
    return path, f"{end} after {steps:,} steps, return {total:.1f}"


def _print_solved(stops: list[Stop], screen: Console) -> None:
    from rich.table import Table

    table = Table(
        box=None, pad_edge=False, title="tasks, played by their oracle", title_justify="left"
    )
    for name in ("id", "task", "reward", "seconds", "verdict"):
        table.add_column(name, justify="right" if name in ("reward", "seconds") else "left",
                         no_wrap=name == "id")  # fmt: skip
    for stop in stops:
        if one := stop.solved:
            reward = "none" if one.reward is None else f"{one.reward:g}"
            table.add_row(stop.id, one.task, reward, f"{one.seconds:.1f}", one.reason)
    if table.row_count:
        screen.print()
        screen.print(table)


def _print(stops: list[Stop], screen: Console) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("id", "backend", "check", "fidelity", "steps/s", "lanes", "ratio"):
        right = name in ("steps/s", "lanes", "ratio")
        table.add_column(name, justify="right" if right else "left", no_wrap=name == "id")
    for stop in stops:
        if not stop.available:
            table.add_row(stop.id, stop.backend, f"absent: {stop.reason}; fix: {stop.fix}")
            continue
        table.add_row(
            stop.id,
            stop.backend,
            f"{stop.check}, {stop.unreached} not reached" if stop.unreached else stop.check,
            str(stop.fidelity or "-"),
            f"{stop.steps_per_second:,.0f}" if stop.steps_per_second else "-",
            f"{stop.lanes or '-'}",
            f"{stop.ratio:.1f} x {stop.reference}" if stop.ratio else "-",
        )
    screen.print(table)
    if any(stop.unreached for stop in stops):
        screen.print(UNREACHED, soft_wrap=True, markup=False)
    _print_solved(stops, screen)
    for stop in stops:
        for finding in stop.findings:
            screen.print(f"{stop.id}: {finding}", markup=False)
