"""Images by reference, as dataset rows name them, built when they are first needed."""

from __future__ import annotations

import hashlib
import threading

from hub.sandbox import build, images

_LOCK = threading.Lock()


def image_name(reference: str) -> str:
    """Return the name of the sandbox image that `reference` stands for, built where it is not yet.

    Args:
        reference: `host`, the name of a built image, or what `hub images build` takes:
            `docker://...`, an OCI archive, a .sif, a root directory.

    Raises:
        ImageError: It cannot be built; the message says why.
    """
    if reference == images.HOST or reference in images.built():
        return reference
    digest = hashlib.sha256(reference.encode()).hexdigest()[:12]
    name = f"swe-{build.default_name(reference)[:40].rstrip('-.')}-{digest}"
    with _LOCK:
        if name not in images.built():
            build.build(reference, name)
    return name
