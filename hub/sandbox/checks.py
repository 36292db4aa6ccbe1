"""Checks of what callers hand to sandboxes, once, before anything is started or sent.

Each error names the argument, its value and what was expected: a `TypeError` for another kind of
thing, a `ValueError` for one that cannot be.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hub.sandbox.images import HOST
from hub.sandbox.types import Limits, Mount


def string(name: str, value: Any) -> str:
    """Return `value`, any text that has bytes: in UTF-8, or as `surrogateescape` decodes them."""
    if not isinstance(value, str):
        raise TypeError(f"{name} {value!r:.80}: expected a text")
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} {value!r:.80}: expected a text that UTF-8 can encode; character {error.start} "
            "is a lone surrogate: replace it, as by text.encode('utf-8', 'replace').decode()"
        ) from error
    return value


def text(name: str, value: Any) -> str:
    """Return `value`, a text without NUL bytes."""
    plain = string(name, value)
    if "\0" in plain:
        raise ValueError(f"{name} {value!r:.80}: expected a text without NUL bytes")
    return plain


def path(name: str, value: Any) -> str:
    """Return the path `value`, a text or `os.PathLike`, as a text."""
    plain = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(plain, str):
        raise TypeError(f"{name} {value!r:.80}: expected a path, as a text")
    return text(name, plain)


def raw(name: str, value: Any) -> bytes:
    """Return the bytes `value`; a text is not encoded, as its encoding is the caller's to say."""
    if not isinstance(value, bytes | bytearray):
        hint = "; a text needs .encode()" if isinstance(value, str) else ""
        raise TypeError(f"{name} {value!r:.80}: expected bytes{hint}")
    return bytes(value)


def seconds(name: str, value: Any) -> float:
    """Return a time of more than 0 and at most 1e8 seconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} {value!r:.80}: expected seconds, a number")
    if not 0 < value <= 1e8:
        raise ValueError(f"{name} {value!r}: expected seconds, more than 0")
    return float(value)


def command(value: Any) -> str | list[str]:
    """Return a line for the shell program, or an argv as a list."""
    if isinstance(value, str):
        return text("command", value)
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray):
        raise TypeError(f"command {value!r:.80}: expected a text or a list of texts")
    if not value:
        raise ValueError(f"command {value!r}: expected a program")
    return [text(f"command[{number}]", word) for number, word in enumerate(value)]


def env(value: Any) -> dict[str, str]:
    """Return environment variables; None is none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"env {value!r:.80}: expected a mapping of names to texts")
    for name, content in value.items():
        if not isinstance(name, str) or not name or "=" in name or "\0" in name:
            raise ValueError(f"env {name!r:.80}: expected a name, without '=' and NUL bytes")
        text(f"env {name!r}:", content)
    return dict(value)


def limits(value: Any) -> Limits:
    """Return limits; None is the usual ones."""
    if value is None:
        return Limits()
    if not isinstance(value, Limits):
        raise TypeError(f"limits {value!r:.80}: expected hub.sandbox.Limits(...) or None")
    return value


def mounts(value: Any) -> tuple[Mount, ...]:
    """Return mounts."""
    found = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    for one in found:
        if not isinstance(one, Mount):
            raise TypeError(f"mounts {one!r:.80}: expected a list of Mount(source, target)")
    return found


def targets(found: tuple[Mount, ...], image: str) -> tuple[Mount, ...]:
    """Return `found` if each target is there or can be made, as far as the image tells.

    Raises:
        ValueError: One is where no container can make it: in the kernel's file systems, or absent
            below the host's /usr, which the image `host` has read-only.
    """
    for one in found:
        top, *rest = one.target.parts[1:]
        fixed = top == "proc" or (top == "dev" and rest[:1] != ["shm"])
        host = image == HOST and top in ("usr", "bin", "sbin", "lib", "lib64")
        if fixed or (host and not Path(one.target).exists()):
            raise ValueError(
                f"mount target {str(one.target)!r}: it cannot be made, as /{top} is "
                f"{'the kernel' if fixed else 'the host'}'s; expected a path elsewhere, such as "
                "/data"
            )
    return found


def switch(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} {value!r:.80}: expected True or False")
    return value
