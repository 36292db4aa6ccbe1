"""Building images: one templated definition file, Apptainer through spython, atomic publication."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.errors import ImageError, MissingDependency
from hub.sandbox import images, state
from hub.sandbox.images import Description
from hub.sandbox.providers import helper, provider

DEBIAN = "debian"
DEBIAN_PACKAGES = ("git", "python3")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")

_DEFINITION = """\
Bootstrap: {bootstrap}
From: {origin}
{post}
%labels
    hub.image.digest {digest}
"""
# Everything ends up owned by the one user that the sandbox has, or its overlay could not be
# written and its directory not be removed. A build sees the host's /tmp and /var/tmp (Apptainer
# leaves no choice): they are left alone.
_POST = """
%post
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -y -q --no-install-recommends {packages}
    rm -rf /var/lib/apt/lists/*
    find / -xdev \\( -path /tmp -o -path /var/tmp -o -path /proc -o -path /sys -o -path /dev \\) \\
        -prune -o \\( ! -user 0 -o ! -group 0 \\) -exec chown -h 0:0 {{}} +
"""


@dataclass(frozen=True)
class Source:
    """Where a root file system comes from: the two header lines of a definition file."""

    bootstrap: str
    origin: str
    digest: str


def parse_source(text: str) -> Source:
    """Tell what `text` names: `debian`, `docker://...`, `oci-archive:PATH`, or a path.

    A path is a root directory, a `.sif`, or an OCI archive (`.tar`).

    Raises:
        ImageError: It names nothing of this kind, or the path does not exist.
    """
    if text == DEBIAN:
        return Source("localimage", "", f"debian {_codename()} {DEBIAN_PACKAGES}")
    if text.startswith("docker://"):
        return Source("docker", text.removeprefix("docker://"), text)
    path = Path(text.removeprefix("oci-archive:")).resolve()
    known = path.exists() and not any(c in str(path) for c in "\n\r")
    if known and path.is_dir() and not text.startswith("oci-archive:"):
        return Source("localimage", str(path), _tree_digest(path))
    if known and _is_sif(path):
        return Source("localimage", str(path), _file_digest(path))
    if known and _is_oci(path):
        return Source("oci-archive", str(path), _file_digest(path))
    found = "it is none of these" if known else "there is no such file"
    raise ImageError(
        f"image source {text!r}: expected 'debian', 'docker://NAME', or the path of a root "
        f"directory, a .sif, or an OCI archive (.tar); {found}"
    )


def _is_sif(path: Path) -> bool:
    """Tell whether a file is an image of Apptainer's: its header begins with 32 bytes of script."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(42)[32:41] == b"SIF_MAGIC"


def _is_oci(path: Path) -> bool:
    """Tell whether a file is an OCI archive, which has an `oci-layout` (OCI image layout)."""
    try:
        with tarfile.open(path) as tar:
            return any(member.name.removeprefix("./") == "oci-layout" for member in tar)
    except (OSError, EOFError, tarfile.TarError):
        return False


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tree(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    for directory, names, files in os.walk(path):
        names.sort()
        for name in sorted([*names, *files]):
            entry = Path(directory, name)
            yield str(entry.relative_to(path)), entry.lstat()


def _tree_digest(path: Path) -> str:
    """Names, modes, sizes and times: reading every byte would cost more than the build."""
    digest = hashlib.sha256()
    for name, stat in _tree(path):
        digest.update(repr((name, stat.st_mode, stat.st_size, stat.st_mtime_ns)).encode())
    return digest.hexdigest()


def _codename() -> str:
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    values = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if values.get("ID") != "debian":
        raise ImageError(
            "the source 'debian' is made with this machine's own package sources, which are not "
            "Debian's; use docker://debian:stable-slim"
        )
    return values["VERSION_CODENAME"].strip('"')


def build(
    source: str, name: str | None = None, packages: Sequence[str] = (), force: bool = False
) -> Description:
    """Build an image and publish it under `name`; what was built before is not built again.

    Args:
        source: See `parse_source`.
        name: Name for `create(image=...)`; default: made from the source.
        packages: Debian packages to install on top (needs subordinate ids: `--fakeroot`).
        force: Build again (a `docker://` tag may have moved).

    Raises:
        ImageError: The name or source is wrong, or the build fails; the message has its output.
        SandboxUnavailable: Apptainer is missing, with the fix; MissingDependency: spython is.
    """
    name = images.check_name(name or default_name(source))
    for package in packages:
        if not _PACKAGE.fullmatch(package):
            raise ImageError(f"package {package!r}: expected the name of a Debian package")
    provider("apptainer")
    if importlib.util.find_spec("spython") is None:
        raise MissingDependency("building images needs spython. Fix: pip install spython")
    origin = parse_source(source)
    whole = repr((_DEFINITION, _POST, origin, sorted(packages)))
    digest = hashlib.sha256(whole.encode()).hexdigest()[:32]
    target = images.root() / "store" / digest
    if force or not target.is_dir():
        _make(origin, source, tuple(sorted(packages)), digest, target)
    _publish(name, target)
    return images.describe(name)


def default_name(source: str) -> str:
    """Return a name made of the last part of `source`."""
    last = source.rstrip("/").rpartition("/")[2].lower()
    stem = last.removesuffix(".sif").removesuffix(".tar")
    return re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-.") or "image"


def _make(
    origin: Source, source: str, packages: tuple[str, ...], digest: str, target: Path
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    work = target.with_name(f"{images.BUILDING}{os.getpid()}-{uuid.uuid4().hex[:8]}")
    work.mkdir(mode=0o755)
    uid, gid = state.sandbox_ids()
    if os.geteuid() == 0:
        os.chown(work, uid, gid)
    try:
        if source == DEBIAN:
            origin = Source("localimage", str(_bootstrap(work)), origin.digest)
        elif (root := Path(origin.origin)).is_dir():
            origin = Source("localimage", str(_owned(work, root)), origin.digest)
        report = _apptainer(work, definition(origin, packages, digest), bool(packages))
        built = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        what = Description(digest, source, packages, report["env"], built, report["bytes"])
        final = work / "final"
        final.mkdir()
        (work / "rootfs").rename(final / "rootfs")
        text = json.dumps(what.to_json(), indent=1)
        (final / images.DESCRIPTION).write_text(text, encoding="utf-8")
        if target.is_dir():  # forced: the old build gives way
            target.rename(work / "replaced")
        final.rename(target)
    finally:
        shutil.rmtree(work)


def definition(origin: Source, packages: Sequence[str], digest: str) -> str:
    """Return the definition file."""
    post = _POST.format(packages=" ".join(packages)) if packages else ""
    return _DEFINITION.format(
        bootstrap=origin.bootstrap, origin=origin.origin, post=post, digest=digest
    )


def _run(command: Sequence[str], stdin: str = "") -> str:
    result = subprocess.run(
        command,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-15:])
        raise ImageError(f"{Path(command[0]).name} ended with {result.returncode}:\n{tail}")
    return result.stdout


def _as_sandbox_user(command: Sequence[str]) -> list[str]:
    if os.geteuid() != 0:
        return list(command)
    uid, gid = state.sandbox_ids()
    return [str(helper()), "launch", "--user", str(uid), str(gid), "--", *command]


def _bootstrap(work: Path) -> Path:
    """Make a minimal Debian with this machine's package sources; no device nodes, one owner."""
    tool, tar = shutil.which("mmdebstrap"), shutil.which("tar")
    if tool is None or tar is None:
        raise MissingDependency(
            "building 'debian' needs mmdebstrap and tar. Fix: apt-get install mmdebstrap tar"
        )
    lists = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")
    archive = work / "base.tar"
    without = [f"--dpkgopt=path-exclude=/usr/share/{d}/*" for d in ("man", "doc", "locale")]
    _run(
        [tool, "--quiet", "--variant=minbase", f"--include={','.join(DEBIAN_PACKAGES)}", *without,
         _codename(), str(archive), next(p for p in lists if Path(p).is_file())]
    )  # fmt: skip
    base = work / "base"
    archive.chmod(0o644)
    _run(_as_sandbox_user(["/bin/mkdir", str(base)]))
    unpack = [tar, "-xf", str(archive), "-C", str(base), "--no-same-owner", "--exclude=./dev/*"]
    _run(_as_sandbox_user(unpack))
    archive.unlink()
    return base


def _owned(work: Path, root: Path) -> Path:
    """Return a root directory that belongs to the sandbox's user: `root`, or a copy of it.

    Apptainer keeps owners, and files of another user could not be changed in the image.
    """
    uid, gid = state.sandbox_ids() if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    if all(entry.st_uid == uid for _, entry in _tree(root)):
        return root
    base = work / "base"
    _run(["cp", "-dR", "--preserve=mode,timestamps,links", "--", str(root), str(base)])
    if os.geteuid() == 0:
        _run(["chown", "-hR", f"{uid}:{gid}", "--", str(base)])
    return base


def _apptainer(work: Path, text: str, fakeroot: bool) -> dict[str, Any]:
    """Run the build in a process of its own; return what it says of the image."""
    recipe = work / "image.def"
    recipe.write_text(text, encoding="utf-8")
    request = {
        "recipe": str(recipe),
        "image": str(work / "rootfs"),
        "options": ["--fakeroot"] if fakeroot else [],
        "user": state.sandbox_ids() if os.geteuid() == 0 else None,
        "directory": str(work),
    }
    worker = [sys.executable, "-m", "hub.sandbox.build_worker"]
    report: dict[str, Any] = json.loads(_run(worker, json.dumps(request)).splitlines()[-1])
    return report


def _publish(name: str, target: Path) -> None:
    names = images.root() / "names"
    names.mkdir(parents=True, exist_ok=True)
    link = names / f".{name}.{os.getpid()}"
    link.symlink_to(Path("..", "store", target.name))
    link.rename(names / name)
