"""What of the host the image `host` must not show where a result may not hang on the machine."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path, PurePosixPath

from hub.sandbox import Mount, images, state

_USR = Path("/usr")
# Where interpreters keep what is no part of their standard library: Debian's folders and everyone
# else's, and the wheels that a new virtual environment starts with.
_PACKAGES = {"dist-packages", "site-packages", "python-wheels", "_bundled"}
_SKIPPED = {"doc", "man", "locale", "include", "__pycache__"}  # thousands of folders without code


def hidden(image: str) -> tuple[Mount, ...]:
    """Return what hides the host's own Python packages in a sandbox of `image`.

    The image `host` shows the host's /usr. A package that is installed there would make a program
    right on one machine and wrong on another; it would stand in for a module that the agent
    removes, and may be the repository's own, mended. A built image has nothing of the host's.
    """
    if image != images.HOST:
        return ()
    return tuple(Mount(state.empty(), PurePosixPath(path)) for path in _host_packages())


@cache
def _host_packages() -> tuple[Path, ...]:
    found: set[Path] = set()
    for folder, names, _ in os.walk(_USR):
        found |= {Path(folder, name).resolve() for name in _PACKAGES.intersection(names)}
        names[:] = sorted(set(names) - _PACKAGES - _SKIPPED)
    # A link out of /usr leads nowhere in a sandbox.
    return tuple(sorted(path for path in found if path.is_dir() and path.is_relative_to(_USR)))
