"""`hub images`: list, build and prune the root file systems of sandboxes."""

from __future__ import annotations

from typing import Any

import click

from hub.cli.output import console, json_option, write_json
from hub.sandbox import build as building
from hub.sandbox import images
from hub.sandbox.images import Description


def row(name: str, image: Description | None) -> dict[str, Any]:
    """Return the JSON object of one image; None is the instant one over the host."""
    if image is None:
        return {"name": name, "source": "this machine's /usr", "built": "", "bytes": 0}
    return {"name": name, **image.to_json()}


@click.group()
def command() -> None:
    """List, build and prune the images that `hub.sandbox.create(image=NAME)` takes."""


@command.command("list")
@json_option
def list_(json_path: str | None) -> None:
    """List the images."""
    rows = [row(images.HOST, None)] + [row(name, i) for name, i in images.built().items()]
    write_json({"images": rows}, "hub.images/1", json_path)
    if json_path != "-":
        _print(rows)


@command.command("build")
@click.argument("source")
@click.option("--name", help="Name of the image; default: made from SOURCE.")
@click.option("--package", "packages", multiple=True, help="Debian package to add; repeatable.")
@click.option("--force", is_flag=True, help="Build again what was built before.")
@json_option
def build(
    source: str, name: str | None, packages: tuple[str, ...], force: bool, json_path: str | None
) -> None:
    """Build an image from SOURCE.

    SOURCE is `debian` (a minimal one with Python and git), `docker://NAME`, or the path of a root
    directory, a .sif, or an OCI archive (.tar).
    """
    final = name or building.default_name(source)
    with console(json_path).status(f"building {final} from {source} ..."):
        image = building.build(source, final, packages, force)
    rows = [row(final, image)]
    write_json({"images": rows}, "hub.images/1", json_path)
    if json_path != "-":
        _print(rows)


@command.command("prune")
@click.argument("names", nargs=-1)
@json_option
def prune(names: tuple[str, ...], json_path: str | None) -> None:
    """Forget the images NAMES, and remove every build that no name and no sandbox uses."""
    removed = images.prune(names)
    write_json({"removed": removed}, "hub.images.prune/1", json_path)
    if json_path != "-":
        console().print(f"removed {len(removed)} build(s): {', '.join(removed) or 'nothing'}")


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("name", "MB", "built", "source"):
        table.add_column(name, justify="right" if name == "MB" else "left", overflow="fold")
    for r in rows:
        size = f"{r['bytes'] / 1e6:.0f}" if r["bytes"] else "-"
        table.add_row(r["name"], size, r["built"] or "-", r["source"])
    console().print(table)
