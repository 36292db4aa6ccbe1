"""Environment variables of the hub: what they say, or an error for what they cannot mean."""

from __future__ import annotations

import os
from pathlib import Path

from hub.errors import SettingError


def switch(name: str) -> bool:
    """Tell whether the variable `name` is on (`1`); off is `0`, empty or not set.

    Raises:
        SettingError: It says something else.
    """
    value = os.environ.get(name, "")
    if value not in ("", "0", "1"):
        raise SettingError(f"{name}={value!r}: expected 1 (on) or 0 (off); set one, or unset it")
    return value == "1"


def folder(name: str) -> Path | None:
    """Return the folder that the variable `name` says, or None where it is empty or not set.

    Raises:
        SettingError: It is no absolute path (what it means would change with the working
            directory), or a file is there.
    """
    value = os.environ.get(name, "")
    if not value:
        return None
    path = Path(value)
    if not path.is_absolute() or path.is_file():
        what = "and that is a file" if path.is_absolute() else "and that is a relative one"
        raise SettingError(
            f"{name}={value!r}: expected the absolute path of a folder, {what}; set another one, "
            "or unset it"
        )
    return path


def names(variable: str) -> set[str] | None:
    """Return the names in a comma-separated list, or None where the variable is not set."""
    text = os.environ.get(variable)
    return None if text is None else {name.strip() for name in text.split(",") if name.strip()}


def plugin_kept_out(name: str) -> bool:
    """Tell whether `HUB_PLUGINS` or `HUB_BLOCK_PLUGINS` keeps the plugin `name` out."""
    only, blocked = names("HUB_PLUGINS"), names("HUB_BLOCK_PLUGINS") or set()
    return (only is not None and name not in only) or name in blocked
