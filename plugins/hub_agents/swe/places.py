"""Images by reference, as dataset rows name them."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path, PurePosixPath

from hub.errors import ImageError
from hub.sandbox import build, images

_LOCK = threading.Lock()
_USR = Path("/usr")


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
