"""A seeded bug in a Python engine: one attribute replaced for a while."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hub.errors import DeclarationError


@contextmanager
def patched(target: str, value: Any) -> Iterator[None]:
    """Replace the attribute `"module:name"` or `"module:Class.name"` by `value`, then restore it.

    Raises:
        DeclarationError: There is no such attribute, or `value` equals the old one, so that
            the mutant would change nothing.
    """
    module, _, path = target.partition(":")
    owner: Any = importlib.import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    if name not in vars(owner):
        raise DeclarationError(f"{target!r} names no attribute to replace")
    old = vars(owner)[name]
    if old is value or (isinstance(value, bool | int | float | str) and old == value):
        raise DeclarationError(f"{target!r} is already {value!r}: the mutant changes nothing")
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, old)
