"""Providers by name, and the helper; plugins add theirs through `hub_register_sandboxes`."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

from hub.errors import MissingDependency, SandboxUnavailable
from hub.plugins import PLUGINS, load
from hub.sandbox import state
from hub.sandbox.types import Provider

INIT = "init"
# In the order of preference.
BUILT_IN = {
    "apptainer": "hub.sandbox.providers.apptainer:Apptainer",
    "bubblewrap": "hub.sandbox.providers.bubblewrap:Bubblewrap",
    "local": "hub.sandbox.providers.local:Local",
}


def providers() -> dict[str, Provider]:
    """Return every provider by name: the hub's own in order of preference, then plugins'."""
    targets = dict(BUILT_IN)
    for name, component in PLUGINS.kind("sandboxes").items():
        if name != INIT:
            targets.setdefault(name, component.target)
    return {name: cast("Callable[[], Provider]", load(t))() for name, t in targets.items()}


def provider(name: str) -> Provider:
    """Return the provider `name`.

    Raises:
        SandboxUnavailable: There is none of that name, or it cannot run here.
    """
    known = providers()
    if name not in known:
        raise SandboxUnavailable(f"no sandbox provider {name!r}; there are {', '.join(known)}")
    reason = known[name].missing()
    if reason:
        raise SandboxUnavailable(f"sandbox provider {name}: {reason}")
    return known[name]


@cache
def _helper(source: Path, user: int) -> Path:
    content = source.read_bytes()
    path = state.root() / f"init-{hashlib.sha256(content).hexdigest()[:16]}"
    if not path.exists():
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        shutil.copyfile(source, temporary)
        temporary.chmod(0o755)
        temporary.rename(path)
    return path


def helper() -> Path:
    """Return a copy of the helper that the containers' user can reach.

    Raises:
        MissingDependency: Its distribution is not installed.
    """
    component = PLUGINS.kind("sandboxes").get(INIT)
    if component is None:
        raise MissingDependency(
            "sandboxes need the distribution gymhub-sandbox-init, which is not installed. "
            "Fix: pip install ./native/sandbox-init"
        )
    source = cast("Callable[[], Path]", component.load())()
    return _helper(source, os.geteuid())
