"""`hub play ID`: an episode in the terminal, or as a picture or film."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import click
from gymnasium import spaces

from hub import picture
from hub import play as playing
from hub.cli.output import (
    EnvId,
    check_writable,
    console,
    json_option,
    set_option,
    visible,
    write_json,
)
from hub.errors import HubError
from hub.registry import full_id

SCREEN = ("ansi", "rgb_array")
FILM_FPS = 20.0  # more than a GIF viewer shows; frames between are left out


@click.command()
@click.argument("env_id", metavar="ID", type=EnvId())
@click.option("--agent", "agent_name", default="random", show_default=True,
              help="random, keyboard, scripted (knows the answer of an agent task), FILE.json "
                   "(list of actions) or module:function.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seeds the episode.")
@click.option("--steps", type=click.IntRange(1), default=1000, show_default=True,
              help="Stop after this many.")  # fmt: skip
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the last frame (.png) or a film (.gif).")  # fmt: skip
@set_option
@json_option
def command(
    env_id: str,
    agent_name: str,
    seed: int,
    steps: int,
    record: Path | None,
    options: dict[str, Any],
    json_path: str | None,
) -> int:
    """Play one episode of environment ID.

    In a terminal it is shown as it goes, a conversation wherever it is printed to. The keyboard
    agent takes digits for discrete actions, a line for text, and q to stop.
    """
    if record is not None and record.suffix not in (".png", ".gif"):
        raise click.UsageError(f"--record {record}: expected a name ending in .png or .gif")
    check_writable(record, json_path)
    if record is not None and record.suffix == ".gif":
        picture.pillow(record)
    quiet = json_path == "-"
    show = not quiet and console().is_terminal
    want = ("rgb_array",) if record else SCREEN if show else () if quiet else ("ansi",)
    env = _made(env_id, want, options)
    show = show or (not quiet and isinstance(env.action_space, spaces.Text))
    try:
        if record and env.render_mode != "rgb_array":
            modes = env.metadata.get("render_modes")
            raise click.UsageError(f"--record needs render mode rgb_array; {env_id} has {modes}")
        act = playing.agent(agent_name, env, seed)
        result = _play(playing.episode(env, act, seed, steps), env, record, show)
    finally:
        env.close()
    name = full_id(env.spec.id) if env.spec and "/" in env.spec.id else env_id
    result = {"id": name, "agent": agent_name, "seed": seed, **result}
    write_json(result, "hub.play/1", json_path)
    if json_path != "-":
        _summary(result)
    return 0


def _made(env_id: str, want: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Make the environment; what its constructor refuses of --set is a usage error."""
    try:
        return playing.make(env_id, want, options)
    except (TypeError, ValueError) as error:
        if not options or isinstance(error, HubError):
            raise
        raise click.UsageError(f"--set: {error}") from error


def _play(steps: Any, env: Any, record: Path | None, show: bool) -> dict[str, Any]:
    fps = float(env.metadata.get("render_fps") or 30)
    keep_every = max(1, round(fps / FILM_FPS))
    frames: list[picture.Frame] = []
    count, total, step = -1, 0.0, None
    told = ""
    for step in steps:
        count, total = count + 1, total + step.reward
        if record and record.suffix == ".png":
            frames = [step.frame]
        elif record and count % keep_every == 0:
            frames.append(step.frame)
        if show and isinstance(env.action_space, spaces.Text):
            told = _tell(step.frame, told)
        elif show:
            _draw(step, count, total)
            time.sleep(1 / fps)
    if told:
        click.echo()
    if record and record.suffix == ".gif":
        picture.save_gif(frames, record, fps / keep_every)
    elif record:
        record.write_bytes(picture.png(frames[0]))
    return {
        "steps": count,
        # A sum of tenths is no tenth to its last digits.
        "return": float(f"{total:.12g}"),
        "terminated": bool(step and step.terminated),
        "truncated": bool(step and step.truncated),
        "record": str(record) if record else None,
    }


def _tell(transcript: str | None, told: str) -> str:
    """Print what a conversation has more than `told`; return all of it."""
    text = transcript or ""
    # Its last lines are new each time, so what was told is a beginning of it.
    click.echo(visible(text[len(told) :]), nl=False)
    return text


def _draw(step: Any, count: int, total: float) -> None:
    columns, rows = shutil.get_terminal_size()
    frame = step.frame
    if frame is None or (not isinstance(frame, str) and os.environ.get("NO_COLOR")):
        frame = str(step.observation)
    elif not isinstance(frame, str):
        frame = picture.text(frame, columns, rows - 2)
    if isinstance(step.observation, str):  # of a model or its tools, who may send escapes
        frame = visible(frame)
    # Home, then clear what is left of each line: no flicker.
    lines = [*frame.split("\n"), f"step {count}  return {total:g}"]
    click.echo("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J", nl=False)


def _summary(result: dict[str, Any]) -> None:
    end = next((name for name in ("terminated", "truncated") if result[name]), "stopped")
    line = f"{result['id']}: {end} after {result['steps']} steps, return {result['return']:g}"
    console().print(f"{line} (seed {result['seed']}, agent {result['agent']})", markup=False)
    if result["record"]:
        console().print(f"wrote {result['record']}", markup=False)
