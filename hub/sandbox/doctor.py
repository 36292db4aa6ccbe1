"""The part `sandboxes` of `hub doctor`: what each provider can do and limit on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hub.errors import MissingDependency
from hub.finding import Finding
from hub.sandbox.probe import capabilities
from hub.sandbox.providers import helper

# Limits that hold wherever a sandbox runs at all; the others depend on the machine.
_ALWAYS = ("lifetime", "timeout", "output", "flood")
_MODES = {
    "root": "as root, commands as an unprivileged user",
    "user": "as a plain user",
}
# Where the reason itself names no fix.
_FIXES = {
    "root": "sudo hub doctor",
    "user": "look for the cause in the message; user namespaces must be allowed on this machine",
}


def findings() -> Iterable[Finding]:
    """Look at every provider by running it; what is absent comes with its fix."""
    try:
        helper()
    except MissingDependency as error:
        message, _, fix = str(error).partition(" Fix: ")
        yield Finding("helper", "missing", message, fix)
        return
    for row in capabilities()["providers"]:
        for mode, found in row["modes"].items():
            yield _finding(row, mode, found)


def _finding(row: Mapping[str, Any], mode: str, found: Mapping[str, Any]) -> Finding:
    name = f"{row['name']}, {_MODES[mode]}"
    if not found["available"]:
        message, _, fix = found["reason"].partition(" Fix: ")
        return Finding(name, "missing", message, fix or _FIXES[mode])
    root = "writable" if found["writable_root"] else "read-only"
    parts = [f"starts in {found['start_seconds']:g} s", f"/ {root}"]
    for limit, how in found["limits"].items():
        if limit not in _ALWAYS:
            note = f" ({how['note']})" if how["note"] else ""
            parts.append(f"{limit}: {how['means']}{note}")
    parts += row["notes"]
    if not row["isolated"]:
        parts.insert(0, "NOT ISOLATED")
    return Finding(name, "ok", "; ".join(parts))
