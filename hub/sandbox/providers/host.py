"""Files of the host that containers share, where the host has them."""

from __future__ import annotations

from pathlib import Path

from hub.sandbox.types import Start


def present(*paths: str) -> tuple[str, ...]:
    """Return those of `paths` that exist."""
    return tuple(path for path in paths if Path(path).exists())


def network_files(start: Start) -> tuple[str, ...]:
    """Return what a sandbox with network needs to resolve names and to check certificates."""
    if not start.network:
        return ()
    # A built image brings its own certificates.
    certificates = ("/etc/ssl",) if start.image.kind == "host" else ()
    return present("/etc/resolv.conf", *certificates)
