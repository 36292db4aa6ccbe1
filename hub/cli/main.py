"""Entry of the `hub` command: built-in and plugin subcommands, imported only when run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
import gymnasium

import hub
from hub.errors import HubError
from hub.plugins import load
from hub.registry import Conflict

# name: (target, summary). The summary stands here so that `hub --help` imports no command.
BUILT_IN: dict[str, tuple[str, str]] = {
    "bench": ("hub.cli.bench:command", "Benchmark environments beside their references."),
    "check": ("hub.cli.check:command", "Check an environment against every rule."),
    "doctor": ("hub.cli.doctor:command", "Say what is here, what is missing and the fix."),
    "images": ("hub.cli.images:command", "List, build and prune sandbox images."),
    "info": ("hub.cli.info:command", "Show card, spaces, options and rules of an environment."),
    "list": ("hub.cli.list_:command", "List environments, absent ones with the fix."),
    "new": ("hub.cli.new:command", "Write a plugin distribution to start from."),
    "play": ("hub.cli.play:command", "Play an episode in the terminal, or record it."),
    "plugins": ("hub.cli.plugins_:command", "List plugins, their errors and conflicts."),
    "replay": ("hub.cli.replay:command", "Show and verify recorded episodes."),
    "rescore": ("hub.cli.rescore:command", "Grade recorded episodes again."),
    "tasks": ("hub.cli.tasks:command", "Validate tasks by oracle, null and cheating agents."),
    "tour": ("hub.cli.tour:command", "Check, measure and play what is installed."),
    "train": ("hub.cli.train:command", "Train a policy, with its learning curve."),
    "verify": ("hub.cli.verify:command", "Prove that a translation equals its reference."),
}


@contextmanager
def _pipe() -> Iterator[None]:
    """End with status 141, as a shell's own tools do, when the reader (`| head`) has gone."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as error:
        # rich meets the closed pipe first and makes it status 1.
        if not any(isinstance(e, BrokenPipeError) for e in (error, error.__context__)):
            raise
        # Keep the interpreter from flushing to the pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are run."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse the command line; `--help` prints here."""
        # Inside of click's own `main`, which makes a closed pipe status 1.
        with _pipe():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        with _pipe():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return sorted(_targets())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one subcommand."""
        target = _targets().get(cmd_name, ("", ""))[0]
        return load(target) if target else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of subcommands from their summaries, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_targets().items())])


def _targets() -> dict[str, tuple[str, str]]:
    plugins = {n: (c.target, c.summary) for n, c in hub.PLUGINS.kind("commands").items()}
    return {**plugins, **BUILT_IN}


def shadowed_commands() -> list[Conflict]:
    """Return the plugin commands that a built-in one of the same name hides."""
    plugins = hub.PLUGINS.kind("commands")
    return [
        Conflict(f"commands {name}", kept="gymhub", refused=command.plugin)
        for name, command in plugins.items()
        if name in BUILT_IN
    ]


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(hub.__version__, prog_name="hub")
def cli() -> None:
    """One registry for fast environments and sandboxed language-model tasks.

    Exit status: 0 good (an absent optional part included), 1 something was found or a goal was
    missed, 2 a usage error.
    """


def _own_words(error: Exception) -> str:
    """Return an error's message without what `gymnasium.make` puts behind a `TypeError`'s.

    It raises such an error anew, from the first one, with a sentence about its creator and kwargs.
    """
    cause = error.__cause__
    renewed = type(cause) is type(error) and str(error).startswith(f"{cause} was raised from the ")
    return str(cause if renewed else error)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors of the hub and of Gymnasium are one line and exit status 2."""
    try:
        status = cli.main(args=arguments, prog_name="hub", standalone_mode=False)
        with _pipe():
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except (HubError, gymnasium.error.Error) as error:
        click.echo(f"hub: {_own_words(error)}", err=True)
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)
