"""A command of the third party."""

import click


@click.command()
def command() -> None:
    """Say hello from a third party."""
    click.echo("acme says hello")
