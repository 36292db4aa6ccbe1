"""Bubblewrap: rootless containers of host and directory images, root file system read-only."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from hub.sandbox.providers.host import network_files, present
from hub.sandbox.types import INIT_PATH, Features, Start

_SHM_SHARE = 4  # /dev/shm has a file system of its own: this part of the disk limit


class Bubblewrap:
    """The provider `bubblewrap`."""

    name = "bubblewrap"
    features = Features(
        images=("host", "directory"),
        disk="size of tmpfs",
        disk_note="three quarters for everything but /dev/shm, which has the rest",
        notes=("directories that the image has are read-only, except /tmp and /workspace",),
    )

    def missing(self) -> str | None:
        """Say why it cannot run, with the fix; None when it can."""
        if shutil.which("bwrap") is None:
            return "bwrap is not on PATH. Fix: install the package bubblewrap (apt, dnf, pacman)"
        return None

    def command(self, start: Start) -> Sequence[str]:
        """Return the argv that becomes the container."""
        program = shutil.which("bwrap")
        assert program is not None, "command() after missing() said None"
        shm = start.limits.disk // _SHM_SHARE
        return [
            program,
            "--unshare-user",
            *("--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts"),
            *("--unshare-cgroup-try", "--hostname", "sandbox", "--cap-drop", "ALL"),
            *(() if start.network else ("--unshare-net",)),
            *("--size", str(start.limits.disk - shm), "--tmpfs", "/"),
            *_root(start),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--size", str(shm), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
            *("--ro-bind", str(start.init), INIT_PATH),
            *_mounts(start),
            *("--chdir", "/", INIT_PATH, "init"),
        ]


def _root(start: Start) -> list[str]:
    """The image's entries, read-only, over an empty file system of limited size."""
    words: list[str] = []
    for entry in sorted(start.image.path.iterdir()):
        inside = f"/{entry.name}"
        if entry.is_symlink():
            words += ["--symlink", str(entry.readlink()), inside]
        elif entry.name in ("proc", "sys", "dev", "tmp", "workspace", "run", "root", "home"):
            words += ["--dir", inside]
        else:
            words += ["--ro-bind", str(entry), inside]
    if start.image.kind == "host":
        for path in ("/usr", *present("/etc/alternatives")):
            words += ["--ro-bind", path, path]
    return words


def _mounts(start: Start) -> list[str]:
    words = []
    for path in network_files(start):
        words += ["--ro-bind", path, path]
    for mount in start.mounts:
        kind = "--bind" if mount.writable else "--ro-bind"
        words += [kind, str(mount.source), str(mount.target)]
    return words
