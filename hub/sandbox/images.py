"""Root file systems by name: the instant one over the host's /usr, and those that were built.

A built image is a directory `store/DIGEST` with `rootfs/` and `image.json`, and a link
`names/NAME` to it. The digest covers what it was built from, so that the same build is done once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hub import settings
from hub.errors import ImageError
from hub.sandbox import state
from hub.sandbox.types import Image, Provider

HOST = "host"
DESCRIPTION = "image.json"
BUILDING = ".building-"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_SKELETON = "skeleton-2"
_DIRECTORIES = (
    *("usr", "etc/alternatives", "etc/ssl", "var/lib", "var/tmp", "tmp", "proc", "sys", "dev"),
    *("run", "root", "home", "workspace"),
)
_FILES = ("etc/hosts", "etc/resolv.conf", "etc/localtime")
_LINKS = ("bin", "sbin", "lib", "lib64")


@dataclass(frozen=True)
class Description:
    """What is known of a built image.

    Attributes:
        digest: Of everything that it was built from.
        source: What it was built from.
        packages: Debian packages installed on top.
        env: Variables that the image sets (from an OCI image's configuration).
        built: When, in ISO 8601.
        bytes: Size of its files.
    """

    digest: str
    source: str
    packages: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    built: str = ""
    bytes: int = 0

    def to_json(self) -> dict[str, object]:
        """Return JSON values."""
        return asdict(self)


def root() -> Path:
    """Return where images are kept: `HUB_IMAGES`, else the cache directory of this user."""
    if chosen := settings.folder("HUB_IMAGES"):
        return chosen
    if os.geteuid() == 0:  # root's home is closed to the containers' user
        return Path("/var/cache/hub/images")
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hub" / "images"


def check_name(name: str) -> str:
    """Return `name` if an image may have it.

    Raises:
        ImageError: It may not.
    """
    if name == HOST or not _NAME.fullmatch(name):
        raise ImageError(
            f"image name {name!r}: expected lower-case letters, digits and . _ -, and not {HOST!r}"
        )
    return name


def describe(name: str) -> Description:
    """Return the description of the built image `name`.

    Raises:
        ImageError: There is none.
    """
    path = root() / "names" / name / DESCRIPTION
    if not _NAME.fullmatch(name) or not path.is_file():
        known = ", ".join([HOST, *built()])
        raise ImageError(
            f"no image {name!r}; there are {known}. `hub images build` makes one, for example "
            "`hub images build debian`"
        )
    data = json.loads(path.read_text(encoding="utf-8"))
    return Description(**{**data, "packages": tuple(data["packages"])})


def built() -> dict[str, Description]:
    """Return the built images by name."""
    names = root() / "names"
    links = sorted(names.iterdir()) if names.is_dir() else []
    return {p.name: describe(p.name) for p in links if (p / DESCRIPTION).is_file()}


def find(name: str, provider: Provider) -> Image:
    """Return the image `name` for `provider`.

    Raises:
        ImageError: There is no such image, or the provider cannot run its kind.
    """
    if name == HOST:
        return Image(HOST, "host", skeleton())
    description = describe(name)
    if "directory" not in provider.features.images:
        raise ImageError(f"provider {provider.name} runs no built images, only {HOST!r}")
    path = root() / "store" / description.digest / "rootfs"
    return Image(name, "directory", path, dict(description.env))


def prune(names: tuple[str, ...] = ()) -> list[str]:
    """Forget `names`, then remove every build that no name and no running sandbox uses.

    Returns:
        Digests of the removed builds, and names of abandoned build directories.
    """
    for name in names:
        describe(name)
    for name in names:
        (root() / "names" / name).unlink()
    store = root() / "store"
    if not store.is_dir():
        return []
    kept = {description.digest for description in built().values()}
    kept |= {Path(record.image).parent.name for record in state.records() if record.image}
    removed = []
    for path in sorted(store.iterdir()):
        builder = path.name.removeprefix(BUILDING).partition("-")[0]
        busy = path.name.startswith(BUILDING) and state.start_time(int(builder))
        if path.name not in kept and not busy:
            shutil.rmtree(path)
            removed.append(path.name)
    return removed


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
