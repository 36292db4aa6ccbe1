"""Runs one build through spython, as the sandbox's user: `python -m hub.sandbox.build_worker`.

A process of its own because spython calls `sys.exit` on errors, asks for `sudo` by default, and
cannot run a build as another user. What it looks at in the image it looks at as that user: a link
in an image may point at any file of the host.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

_DIRECTORIES = ("workspace", "tmp", "var/tmp", "proc", "sys", "dev", "run")
_ENV_FILE = ".singularity.d/env/10-docker2singularity.sh"
# Apptainer writes `export NAME="${NAME:-"value"}"`, and PATH without the default.
_EXPORT = re.compile(r'^export (\w+)="(?:\$\{\1:-")?(.*?)"?\}?"$', re.MULTILINE)


def exported(text: str) -> dict[str, str]:
    """Return the variables that Apptainer took over from an OCI image's configuration."""
    return dict(_EXPORT.findall(text))


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Build `request["recipe"]` into the directory `request["image"]` and describe it."""
    from spython.main import Client

    from hub.sandbox.providers.apptainer import configuration

    config = configuration(1 << 34, build=True)
    image = Path(request["image"])
    if request["user"]:
        uid, gid = request["user"]
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    for name in ("configdir", "cachedir", "tmpdir"):
        place = Path(request["directory"], name)
        place.mkdir()
        os.environ[f"APPTAINER_{name.upper()}"] = str(place)
    Client.build(
        recipe=request["recipe"],
        image=str(image),
        sandbox=True,
        sudo=False,
        options=request["options"],
        singularity_options=["-c", str(config)],
        quiet=False,
    )
    if not image.is_dir():
        sys.exit("the build made no root file system")
    return finish(image)


def add_account(passwd: Path, ids: str) -> None:
    """Give the user that containers run as a name, unless the image has one for it."""
    text = passwd.read_text(encoding="utf-8", errors="replace") if passwd.is_file() else ""
    if f":x:{ids}:" not in text:
        passwd.parent.mkdir(exist_ok=True)
        end = "" if text.endswith("\n") or not text else "\n"
        line = f"{text}{end}sandbox:x:{ids}:sandbox:/workspace:/bin/sh\n"
        passwd.write_text(line, encoding="utf-8", errors="replace")


def finish(image: Path) -> dict[str, Any]:
    """Add the directories that a sandbox needs; return the image's variables and size."""
    for inside in _DIRECTORIES:
        (image / inside).mkdir(parents=True, exist_ok=True)
    resolver = image / "etc/resolv.conf"  # a sandbox with network binds the host's over it
    if resolver.is_symlink() or not resolver.exists():
        resolver.unlink(missing_ok=True)
        resolver.parent.mkdir(exist_ok=True)
        resolver.touch()
    if not any(os.path.lexists(image / shell) for shell in ("bin/bash", "bin/sh")):
        sys.exit("the image has neither /bin/bash nor /bin/sh")
    add_account(image / "etc/passwd", f"{os.getuid()}:{os.getgid()}")
    exports = image / _ENV_FILE
    text = exports.read_text(encoding="utf-8", errors="replace") if exports.is_file() else ""
    size = sum(
        Path(directory, name).lstat().st_size
        for directory, _, files in os.walk(image)
        for name in files
    )
    return {"env": exported(text), "bytes": size}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
