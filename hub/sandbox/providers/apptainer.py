"""Apptainer (or Singularity): rootless containers of host, directory and SIF images."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from hub.sandbox import state
from hub.sandbox.providers.host import network_files, present
from hub.sandbox.types import INIT_PATH, MIB, Features, Start

PROGRAMS = ("apptainer", "singularity")

# Replaces the system's configuration file: the size of the session file system (every writable
# place of a container lies in it), and no host /sys, resolv.conf, home or devices inside.
_CONFIG = """\
allow setuid = no
max loop devices = 0
allow pid ns = yes
config passwd = {build}
config group = {build}
config resolv_conf = {build}
mount proc = yes
mount sys = no
mount dev = {dev}
mount devpts = yes
mount home = no
mount tmp = yes
mount hostfs = no
enable fusemount = yes
enable overlay = yes
enable underlay = no
mount slave = yes
sessiondir max size = {mib}
memory fs type = tmpfs
systemd cgroups = no
"""


def install_script() -> Path:
    """Return the script that brings Apptainer to Debian 12 and 13."""
    return Path(str(files("hub.sandbox").joinpath("install_apptainer.sh")))


class Apptainer:
    """The provider `apptainer`."""

    name = "apptainer"
    features = Features(
        images=("host", "directory"),
        disk="size of the session tmpfs",
        disk_note="/, /tmp, /dev and /dev/shm together",
    )

    def program(self) -> str | None:
        """Return the path of the program, or None."""
        return next(filter(None, map(shutil.which, PROGRAMS)), None)

    def missing(self) -> str | None:
        """Say why it cannot run, with the fix; None when it can."""
        if self.program() is None:
            return (
                "neither apptainer nor singularity is on PATH. Fix: on Debian 12 and 13 "
                f"`sudo bash {install_script()}`, elsewhere your package manager"
            )
        return None

    def command(self, start: Start) -> Sequence[str]:
        """Return the argv that becomes the container."""
        program = self.program()
        assert program is not None, "command() after missing() said None"
        return [
            program,
            "-q",
            "-c",
            str(configuration(start.limits.disk)),
            "exec",
            *("--containall", "--cleanenv", "--no-home", "--no-eval", "--no-init"),
            *("--uts", "--hostname", "sandbox", "--pwd", "/", "--writable-tmpfs"),
            *(() if start.network else ("--net", "--network", "none")),
            *("--scratch", "/dev/shm"),
            *_binds(start),
            str(start.image.path),
            INIT_PATH,
            "init",
        ]


def _binds(start: Start) -> list[str]:
    pairs = [(str(start.init), INIT_PATH, "ro")]
    if start.image.kind == "host":
        pairs += [(path, path, "ro") for path in ("/usr", *present("/etc/alternatives"))]
    pairs += [(path, path, "ro") for path in network_files(start)]
    pairs += [(str(m.source), str(m.target), "rw" if m.writable else "ro") for m in start.mounts]
    return [word for pair in pairs for word in ("--bind", ":".join(pair))]


def configuration(disk: int, build: bool = False) -> Path:
    """Return the configuration file for `disk` bytes, written on first use.

    Args:
        disk: Size of everything writable in a container.
        build: For builds: with name servers and all devices.
    """
    mib = max(disk // MIB, 1)
    path = state.root() / "apptainer" / f"{'build' if build else mib}.conf"
    values = {"build": "yes", "dev": "yes"} if build else {"build": "no", "dev": "minimal"}
    text = _CONFIG.format(mib=mib, **values)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(mode=0o755, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(0o644)
        temporary.rename(path)
    return path
