"""Root file systems by name: the instant one over the host's /usr, and those that were built."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from hub.errors import ImageError
from hub.sandbox import state
from hub.sandbox.types import Image, Provider

HOST = "host"
_SKELETON = "skeleton-1"
_DIRECTORIES = (
    *("usr", "etc/alternatives", "var/lib", "var/tmp", "tmp", "proc", "sys", "dev"),
    *("run", "root", "home", "workspace"),
)
_FILES = ("etc/hosts", "etc/resolv.conf", "etc/localtime")
_LINKS = ("bin", "sbin", "lib", "lib64")


def find(name: str, provider: Provider) -> Image:
    """Return the image `name` for `provider`.

    Raises:
        ImageError: There is no such image, or the provider cannot run its kind.
    """
    if name != HOST:
        raise ImageError(f"no image {name!r}; `hub images list` shows those that there are")
    return Image(HOST, "host", skeleton())


def skeleton() -> Path:
    """Return the root of the instant image, made on first use: all but /usr, nearly empty."""
    path = state.root() / _SKELETON
    if path.is_dir():
        return path
    uid, gid = state.sandbox_ids()
    made = path.with_name(f"{_SKELETON}.{os.getpid()}")
    for name in _DIRECTORIES:
        (made / name).mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        (made / name).touch()
    account = f"sandbox:x:{uid}:{gid}:sandbox:/workspace:/bin/bash\n"
    (made / "etc/passwd").write_text(f"root:x:0:0:root:/root:/bin/bash\n{account}")
    (made / "etc/group").write_text(f"root:x:0:\nsandbox:x:{gid}:\n")
    for name in _LINKS:
        if Path("/", name).exists():
            (made / name).symlink_to(f"usr/{name}")
    if os.geteuid() == 0:
        for entry in [made, *made.rglob("*")]:
            os.chown(entry, uid, gid, follow_symlinks=False)
    try:
        made.rename(path)
    except OSError:  # another process was faster
        shutil.rmtree(made)
    return path
