"""Images by reference, as dataset rows name them, and what of the host they must not show."""

from __future__ import annotations

import hashlib
import os
import threading
from functools import cache
from pathlib import Path, PurePosixPath

from hub.errors import ImageError
from hub.sandbox import Mount, build, images, state

_LOCK = threading.Lock()
_USR = Path("/usr")
# Where interpreters keep what is no part of their standard library: Debian's folders and everyone
# else's, and the wheels that a new virtual environment starts with.
_PACKAGES = {"dist-packages", "site-packages", "python-wheels", "_bundled"}
_SKIPPED = {"doc", "man", "locale", "include", "__pycache__"}  # thousands of folders without code


def image_name(reference: str) -> str:
    """Return the name of the sandbox image that `reference` stands for, built where it is not yet.

    Args:
        reference: `host`, the name of a built image, or what `hub images build` takes:
            `docker://...`, an OCI archive, a .sif, a root directory.

    Raises:
        ImageError: There is none of that name, or it cannot be built; the message says why.
    """
    check_image(reference)
    if reference == images.HOST or reference in images.built():
        return reference
    digest = hashlib.sha256(reference.encode()).hexdigest()[:12]
    name = f"swe-{build.default_name(reference)[:40].rstrip('-.')}-{digest}"
    with _LOCK:
        if name not in images.built():
            build.build(reference, name)
    return name


def check_image(reference: str, workdir: str = "/") -> None:
    """Refuse, before anything is built or started, what can be no image with a folder `workdir`.

    Raises:
        ImageError: A bare name is that of no built image and of nothing on this machine, or
            `workdir` is not in the image `host`.
    """
    if reference == images.HOST:
        root = Path("/") if PurePosixPath(workdir).is_relative_to(_USR) else images.skeleton()
        if not _exists(root / workdir.lstrip("/")):
            raise ImageError(f"the image has no {workdir}")
        return
    bare = reference != build.DEBIAN and not {"/", ":"} & set(reference)
    if bare and not _exists(Path(reference)):
        images.describe(reference)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long for a file
        return False


def hidden(image: str) -> tuple[Mount, ...]:
    """Return what hides the host's own Python packages in a sandbox of `image`.

    The image `host` shows the host's /usr. A package that is installed there would stand in for
    a module that the agent removes, and may be the repository's own, mended. A built image has
    nothing of the host's.
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
