"""Plays with altered text of the engine's modules, for `hub verify --mutants`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hub.errors import DeclarationError

# In the order of their imports: what imports an altered module is run again, too.
ENGINE = ("hub_jax.threefry", "hub_jax.pong")


@contextmanager
def mutated(module: str, old: str, new: str) -> Iterator[None]:
    """Play with the module's text in which `old`, found once, reads `new`.

    The modules are run again in place, so that functions which others imported find the altered
    names; environments made inside are new records, for which everything is compiled anew.

    Args:
        module: One of `ENGINE`.
        old: The text to replace.
        new: What stands in its place.

    Raises:
        DeclarationError: `old` is not there exactly once.
    """
    rooms = {name: vars(importlib.import_module(name)) for name in ENGINE}
    texts = {name: Path(room["__file__"]).read_text("utf-8") for name, room in rooms.items()}
    if (count := texts[module].count(old)) != 1:
        raise DeclarationError(f"{old!r} is {count} times in {module}, not once")
    texts[module] = texts[module].replace(old, new)
    before = {name: dict(room) for name, room in rooms.items()}
    try:
        for name, room in rooms.items():
            exec(compile(texts[name], room["__file__"], "exec"), room)  # our own source text
        yield
    finally:
        for name, room in rooms.items():
            _restore(room, before[name])


def _restore(room: dict[str, Any], before: dict[str, Any]) -> None:
    room.clear()
    room.update(before)
