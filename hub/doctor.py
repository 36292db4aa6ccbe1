"""What is here, what is missing and what brings it: the findings that `hub doctor` prints.

Each part of the hub adds one line to `PARTS`: a function without arguments that returns findings
and never raises for an absent part.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import shutil
from collections.abc import Iterable

import hub
from hub.finding import Finding
from hub.plugins import load

PARTS: dict[str, str] = {
    "core": "hub.doctor:core",
    "plugins": "hub.doctor:plugins",
    "environments": "hub.doctor:environments",
    "extras": "hub.doctor:extras",
    "compilers": "hub.doctor:compilers",
    "sandboxes": "hub.sandbox.doctor:findings",
}

CORE = ("gymhub", "gymnasium", "numpy", "pluggy", "click", "rich")
COMPILERS = {
    "cc": ("C environments", "apt-get install build-essential"),
    "cargo": ("Rust environments", "apt-get install cargo"),
}
_EXTRA = re.compile(r"(?P<name>[A-Za-z0-9._-]+).*extra == [\"'](?P<extra>[\w-]+)[\"']")
# Extras for the hub's own developers, not for its users.
_DEVELOPERS = frozenset({"dev", "stacks"})


def examine() -> dict[str, list[Finding]]:
    """Return the findings of every part."""
    return {part: list(load(target)()) for part, target in PARTS.items()}


def core() -> Iterable[Finding]:
    """Versions of Python and of what the core needs."""
    yield Finding("python", "ok", f"{platform.python_version()} on {platform.platform()}")
    for name in CORE:
        yield Finding(name, "ok", importlib.metadata.version(name))


def plugins() -> Iterable[Finding]:
    """Plugins that were loaded, failed, collide or are asked for in vain."""
    for record in hub.PLUGINS.records:
        if record.status == "failed":
            fix = f"`hub plugins {record.name}` shows the traceback; mend or uninstall it"
            yield Finding(record.label, "problem", record.error, fix)
        else:
            what = f"{record.version} {record.status}, {len(record.envs)} environments"
            yield Finding(record.label, "ok", what)
    for conflict in hub.PLUGINS.conflicts:
        what = f"claimed by {conflict.kept}, which keeps it, and by {conflict.refused}"
        yield Finding(conflict.name, "problem", what, "uninstall or block one of the two")
    for name in hub.PLUGINS.unknown_names:
        what = "named by HUB_PLUGINS or HUB_BLOCK_PLUGINS, but not installed"
        yield Finding(name, "problem", what, "use a name that `hub plugins` shows")


def environments() -> Iterable[Finding]:
    """Environments that can be made here, and what the others lack."""
    for card in hub.PLUGINS.registry:
        reason = card.reason()
        if reason:
            yield Finding(card.id, "missing", reason, card.fix())
        else:
            yield Finding(card.id, "ok", card.summary)


def extras() -> Iterable[Finding]:
    """Distributions that the hub's extras would bring."""
    wanted: dict[str, list[str]] = {}
    for requirement in importlib.metadata.requires("gymhub") or ():
        match = _EXTRA.match(requirement)
        if match and match["extra"] not in _DEVELOPERS:
            wanted.setdefault(match["name"], []).append(match["extra"])
    for name, names in sorted(wanted.items()):
        try:
            yield Finding(name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            reason = f"extra {' or '.join(sorted(names))}"
            yield Finding(name, "missing", reason, f"pip install '.[{min(names)}]'")


def compilers() -> Iterable[Finding]:
    """Programs that build the native distributions."""
    for program, (purpose, fix) in COMPILERS.items():
        path = shutil.which(program)
        if path:
            yield Finding(program, "ok", path)
        else:
            yield Finding(program, "missing", f"needed to build {purpose}", fix)
