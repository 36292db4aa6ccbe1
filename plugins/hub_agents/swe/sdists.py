"""Source archives and wheels by name and version, from the index that pip is set up with.

Nothing is built and nothing of a package runs: pip's own download of a source archive would run
its setup.py on the host. Files are kept by their SHA-256 in the cache of this user.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hub import settings
from hub.errors import TaskError
from hub_agents.swe import index
from hub_agents.swe.index import Link

_SHA256 = re.compile(r"[0-9a-f]{64}")
_ENDINGS = (".tar.gz", ".tar.bz2", ".zip")


@dataclass(frozen=True)
class Archive:
    """A file of an index, here and verified."""

    name: str
    sha256: str
    path: Path

    def read(self) -> bytes:
        """Return its bytes."""
        return self.path.read_bytes()


def cache() -> Path:
    """Return where files are kept: `HUB_SWE_CACHE`, else below the cache directory of this user."""
    if chosen := settings.folder("HUB_SWE_CACHE"):
        return chosen
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hub" / "swe"


def source(package: str, version: str, sha256: str | None = None) -> Archive:
    """Return the source archive of `package` at `version`, fetched once.

    Args:
        package: Name of the distribution.
        version: As the index writes it, or equal to it.
        sha256: What it must be; None takes what the index says.

    Raises:
        TaskError: There is none, it is another one than `sha256` says, or the index does not
            answer; the message says which.
    """
    known = _known(f"{index.canonical(package)}-{version}.source", sha256)
    if known is not None:
        return known
    links = [link for link in index.links(package) if _is_source(link.filename, package, version)]
    what = f"source archive of {package} {version}"
    if not links:
        raise TaskError(f"{what}: the index has none")
    links.sort(key=lambda link: not link.filename.endswith(".tar.gz"))
    archive = fetch(links[0], what, sha256)
    _remember(f"{index.canonical(package)}-{version}.source", archive)
    return archive


def fetch(link: Link, what: str, sha256: str | None = None) -> Archive:
    """Return the file of `link`, downloaded where the cache has not got it.

    Raises:
        TaskError: Its SHA-256 is not the one that `sha256` or the index says.
    """
    expected = sha256 or link.sha256
    if expected is not None and not _SHA256.fullmatch(expected):
        raise TaskError(f"{what}: sha256 {expected!r}: expected 64 lower-case hex digits")
    if expected is not None:
        path = cache() / "files" / expected / link.filename
        if path.is_file() and _digest(path.read_bytes()) == expected:
            return Archive(link.filename, expected, path)
    data = index.read(link.url, what)
    digest = _digest(data)
    for claimed, by in ((sha256, "was asked for"), (link.sha256, "the index promises")):
        if claimed is not None and digest != claimed:
            raise TaskError(f"{what}: {link.filename} has sha256 {digest}, {by} {claimed}")
    return keep(link.filename, data)


def keep(filename: str, data: bytes) -> Archive:
    """Put a file into the cache, whole or not at all."""
    digest = _digest(data)
    folder = cache() / "files" / digest
    folder.mkdir(parents=True, exist_ok=True)
    publish(folder / filename, data)
    return Archive(filename, digest, folder / filename)


def publish(path: Path, data: bytes) -> None:
    """Write a file so that another process sees all of it or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _known(name: str, sha256: str | None) -> Archive | None:
    """Return what was fetched under `name` before, where it is still that."""
    note = cache() / "names" / f"{name}.json"
    if not note.is_file():
        return None
    noted = json.loads(note.read_text(encoding="utf-8"))
    digest = str(noted["sha256"])
    path = cache() / "files" / digest / str(noted["filename"])
    if (sha256 or digest) != digest or not path.is_file() or _digest(path.read_bytes()) != digest:
        return None
    return Archive(path.name, digest, path)


def _remember(name: str, archive: Archive) -> None:
    note = cache() / "names" / f"{name}.json"
    note.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"filename": archive.name, "sha256": archive.sha256})
    publish(note, text.encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_source(filename: str, package: str, version: str) -> bool:
    ending = next((e for e in _ENDINGS if filename.endswith(e)), None)
    if ending is None:
        return False
    stem = filename.removesuffix(ending)
    # Old archives have dashes in their names, so the split is at each of them.
    return any(
        index.canonical(name) == index.canonical(package) and index.same_version(rest, version)
        for name, rest in _splits(stem)
    )


def _splits(stem: str) -> Iterator[tuple[str, str]]:
    parts = stem.split("-")
    for at in range(1, len(parts)):
        yield "-".join(parts[:at]), "-".join(parts[at:])


def checksum_of(pin: str) -> tuple[str, str, str | None]:
    """Return name, version and SHA-256 of `NAME==VERSION [--hash=sha256:HEX]`.

    Raises:
        TaskError: It is written otherwise.
    """
    found = re.fullmatch(r"([\w.-]+)==([\w.+!-]+)(?:\s+--hash=sha256:([0-9a-f]{64}))?", pin.strip())
    if found is None:
        raise TaskError(f"requirement {pin!r}: expected NAME==VERSION [--hash=sha256:HEX]")
    return found[1], found[2], found[3]


def wheels(pins: Sequence[str], python: str) -> list[Archive]:
    """Return the wheels of `pins` for CPython `python` (`"3.11"`), fetched once.

    Raises:
        TaskError: A pin has no wheel that fits, or another checksum.
    """
    return [_wheel(*checksum_of(pin), python) for pin in pins]


def _wheel(name: str, version: str, sha256: str | None, python: str) -> Archive:
    note = f"{index.canonical(name)}-{version}-{python}.wheel"
    known = _known(note, sha256)
    if known is not None:
        return known
    what = f"wheel of {name} {version} for Python {python}"
    link = index.best_wheel(index.links(name), version, python)
    if link is None:
        raise TaskError(f"{what}: the index has none")
    archive = fetch(link, what, sha256)
    _remember(note, archive)
    return archive
