"""`hub new NAME`: a plugin distribution to start from."""

from __future__ import annotations

from pathlib import Path

import click

from hub.scaffold import write


@click.command()
@click.argument("name")
@click.option("--in", "parent", type=click.Path(file_okay=False, path_type=Path), default=".",
              help="Directory to write it in; default: here.")  # fmt: skip
def command(name: str, parent: Path) -> None:
    """Write plugin distribution NAME: an environment, its test and pyproject.toml."""
    for path in write(name, parent):
        click.echo(path)
    root = parent / name
    click.echo(f"\nNext:\n  pip install -e '{root}[dev]'")
    click.echo(f"  hub check hub:{name}/Corridor-v0\n  pytest {root}")
