"""`hub swe`: make repair tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hub.cli.output import json_option, write_json
from hub.errors import TaskError

if TYPE_CHECKING:
    from hub_agents.swe.instance import Instance

MINE, MUTATE = "hub.swe.mine/1", "hub.swe.mutate/1"


@click.group()
def command() -> None:
    """Make repair tasks for hub:agent/SWE-v0."""


@command.command("mine")
@click.argument("package")
@click.argument("old")
@click.argument("new")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              metavar="DIR", help="The instance becomes DIR/ID/instance.json.")  # fmt: skip
@click.option("--need", "needs", multiple=True, metavar="REQUIREMENT",
              help="What its tests need besides pytest, like freezegun; repeatable.")  # fmt: skip
@click.option("-k", "times", type=click.IntRange(1), default=3, show_default=True,
              help="Times that everything must come out the same.")  # fmt: skip
@click.option("--problem", default="", metavar="TEXT",
              help="What the agent is asked; default: how the failing tests fail.")  # fmt: skip
@click.option("--provider", metavar="NAME", help="Sandbox provider; default: the first that works.")
@json_option
def mine_command(
    package: str,
    old: str,
    new: str,
    out: Path,
    needs: tuple[str, ...],
    times: int,
    problem: str,
    provider: str | None,
    json_path: str | None,
) -> int:
    """Mine a repair task from the releases OLD and NEW of PACKAGE.

    Both source archives are fetched and unpacked, never built; their tests run in sandboxes. The
    task is written when its fix passes and no change fails, each time. Exit status: 0 written, 1
    there is no task in it (the reason is said), 2 it could not be tried.
    """
    said = {"package": package, "old": old, "new": new}
    say = _speaker(package)
    try:
        found = _mined(said, needs, times, problem, provider, say)
    except TaskError as error:
        say(f"no task: {error}")
        write_json({**said, "mined": False, "reason": str(error)}, MINE, json_path)
        return 1
    made = {
        "mined": True,
        **_written(found, out, say),
        "without_decoy": found.meta["without_decoy"],
    }
    write_json({**said, **made}, MINE, json_path)
    return 0


def _mined(
    said: Mapping[str, str],
    needs: tuple[str, ...],
    times: int,
    problem: str,
    provider: str | None,
    say: Callable[[str], None],
) -> Instance:
    from hub.dialogue import SandboxOptions
    from hub_agents.swe import mine, releases

    options = SandboxOptions(provider=provider)
    say("fetching both releases")
    both = releases.pair(said["package"], said["old"], said["new"])
    pins = releases.pinned(both.after, needs, mine.python_of(options))
    return mine.Miner(options, times, say).verified(mine.Material.of(both, pins), problem)


@command.command("mutate")
@click.argument("package")
@click.argument("version")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              metavar="DIR", help="Each instance becomes DIR/ID/instance.json.")  # fmt: skip
@click.option("--count", type=click.IntRange(1), default=1, show_default=True,
              help="Instances to make.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Chooses the bugs.")
@click.option("--need", "needs", multiple=True, metavar="REQUIREMENT",
              help="What its tests need besides pytest, like freezegun; repeatable.")  # fmt: skip
@click.option("-k", "times", type=click.IntRange(1), default=3, show_default=True,
              help="Times that everything must come out the same.")  # fmt: skip
@click.option("--provider", metavar="NAME", help="Sandbox provider; default: the first that works.")
@json_option
def mutate_command(
    package: str,
    version: str,
    out: Path,
    count: int,
    seed: int,
    needs: tuple[str, ...],
    times: int,
    provider: str | None,
    json_path: str | None,
) -> int:
    """Make repair tasks of VERSION of PACKAGE by putting small bugs into its sources.

    A bug is kept when some of the release's own tests notice it and others do not, each time. The
    tests that notice are hidden from the agent, which is told how they fail. Exit status: 0 as many
    as asked for are written, 1 fewer (the reason is said), 2 it could not be tried.
    """
    say = _speaker(package)
    written: list[dict[str, Any]] = []
    reason = ""
    try:
        for found in _mutants(package, version, seed, count, needs, times, provider, say):
            written.append({**_written(found, out, say), "mutation": found.meta["mutation"]})
            if len(written) == count:
                break
        else:
            reason = f"the mutants tried gave {len(written)} of {count} instances"
    except TaskError as error:
        reason = str(error)
    if reason:
        say(f"too few tasks: {reason}" if written else f"no task: {reason}")
    result = {"package": package, "version": version, "seed": seed, "instances": written}
    write_json({**result, "reason": reason}, MUTATE, json_path)
    return 1 if reason else 0


def _mutants(
    package: str,
    version: str,
    seed: int,
    count: int,
    needs: tuple[str, ...],
    times: int,
    provider: str | None,
    say: Callable[[str], None],
) -> Iterator[Instance]:
    from hub.dialogue import SandboxOptions
    from hub_agents.swe import mine, mutate, releases

    options = SandboxOptions(provider=provider)
    say("fetching the release")
    release = mutate.release(package, version)
    pins = releases.pinned(release.tree, needs, mine.python_of(options))
    yield from mutate.Mutator(options, times, say).instances(
        release, pins, seed, mutate.TRIES * count
    )


def _speaker(package: str) -> Callable[[str], None]:
    def say(text: str) -> None:
        click.echo(f"{package}: {text}", err=True)

    return say


def _written(found: Instance, out: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Write an instance below `out`; return what the result says of it."""
    from hub_agents.swe.source import FILE

    path = out / found.id / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found.to_json(), indent=1) + "\n", encoding="utf-8")
    say(f"wrote {path}")
    return {
        "id": found.id,
        "path": str(path),
        "fail_to_pass": len(found.fail_to_pass),
        "pass_to_pass": len(found.pass_to_pass),
        "decoys": len(found.decoys),
    }
