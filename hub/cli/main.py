"""Entry of the `hub` command: built-in and plugin subcommands, imported only when run."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

import hub
from hub.errors import HubError
from hub.plugins import load

# name: (target, summary). The summary stands here so that `hub --help` imports no command.
BUILT_IN: dict[str, tuple[str, str]] = {
    "images": ("hub.cli.images:command", "List, build and prune sandbox images."),
    "list": ("hub.cli.list_:command", "List environments, absent ones with the fix."),
}


class LazyGroup(click.Group):
    """A group whose subcommands are imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return sorted({*BUILT_IN, *hub.PLUGINS.kind("commands")})

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


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(hub.__version__, prog_name="hub")
def cli() -> None:
    """One registry for fast environments and sandboxed language-model tasks."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors of the hub are one line and exit status 2."""
    try:
        status = cli.main(args=arguments, prog_name="hub", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except HubError as error:
        click.echo(f"hub: {error}", err=True)
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)
