"""A client of package indexes (simple API, HTML and JSON), set up as pip is on this machine."""

from __future__ import annotations

import ast
import base64
import json
import netrc
import os
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from hub.errors import MissingDependency, TaskError

LARGEST = 256 << 20  # bytes of one answer
TIMEOUT = 60.0
_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1"
_DEFAULT = re.compile(r"Base URL.*?\(default (\S+)\)", re.DOTALL)


@dataclass(frozen=True)
class Link:
    """A file that an index offers; `sha256` is None where it gives no such checksum."""

    filename: str
    url: str
    sha256: str | None = None


@dataclass(frozen=True)
class Settings:
    """Where pip looks: index URLs, directories of files, a file of certificates or None."""

    indexes: tuple[str, ...]
    folders: tuple[Path, ...]
    certificates: str | None


def canonical(name: str) -> str:
    """Return a distribution's name as indexes write it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def same_version(one: str, other: str) -> bool:
    """Tell whether two texts are the same version (PEP 440); a text that is none equals none."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return False


def settings() -> Settings:
    """Return how pip is set up here: its configuration files, `PIP_*` and its own default.

    Raises:
        MissingDependency: pip is absent.
    """
    # The parts of the environment that it hangs on are the key, so that a change is seen.
    return _settings(tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith("PIP_"))))


@cache
def _settings(environment: tuple[tuple[str, str], ...]) -> Settings:
    found: dict[str, str] = {}
    for line in _pip("config", "list").splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.strip().rpartition(".")
        rank = {"global": 0, "install": 1, "download": 2, ":env:": 3}.get(section)
        if rank is not None:
            found[f"{name} {rank}"] = str(ast.literal_eval(value))

    def get(name: str) -> str:
        return next((found[f"{name} {r}"] for r in (3, 2, 1, 0) if f"{name} {r}" in found), "")

    indexes = [get("index-url") or _default_index(), *get("extra-index-url").split()]
    if get("no-index").lower() in ("1", "true", "yes", "on"):
        indexes = []
    folders = [Path(p.removeprefix("file://")) for p in get("find-links").split()]
    return Settings(tuple(indexes), tuple(p for p in folders if p.is_dir()), get("cert") or None)


def _default_index() -> str:
    """Return the index that pip falls back to, out of its own help text."""
    found = _DEFAULT.search(_pip("download", "--help"))
    if found is None:
        raise TaskError("pip names no default index. Fix: set PIP_INDEX_URL")
    return found[1]


def _pip(*words: str) -> str:
    environment = {**os.environ, "COLUMNS": "1000", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    command = [sys.executable, "-m", "pip", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        if "No module named pip" in done.stderr:
            raise MissingDependency("pip is absent. Fix: python -m ensurepip")
        raise TaskError(f"pip {' '.join(words)} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def resolved(requirements: Iterable[str], python: str, into: Path) -> list[Path]:
    """Download the wheels that `requirements` need, pip choosing versions; return their paths.

    Wheels alone: no code of a package runs.

    Raises:
        TaskError: They cannot be had as wheels; the message holds pip's words.
    """
    words = ("--quiet", "--only-binary", ":all:", "--python-version", python, "--dest", str(into))
    _pip("download", *words, *requirements)
    return sorted(into.glob("*.whl"))


def links(package: str) -> list[Link]:
    """Return every file of `package` that the index, or a folder of pip's, offers.

    Raises:
        TaskError: No index knows it, or none answers.
    """
    found = [
        Link(path.name, path.as_uri())
        for folder in settings().folders
        for path in sorted(folder.iterdir())
        if canonical(path.name).startswith(canonical(package))
    ]
    missing: list[str] = []
    for base in settings().indexes:
        url = f"{base.rstrip('/')}/{canonical(package)}/"
        try:
            found += _page(url)
        except TaskError as error:
            missing.append(str(error))
    if not found:
        raise TaskError(f"package {package!r}: {'; '.join(missing) or 'no index is set up'}")
    return found


def _page(url: str) -> list[Link]:
    data, kind, final = _get(url, f"index page {_shown(url)}")
    if "json" in kind:
        files = json.loads(data)["files"]
        return [
            Link(
                str(file["filename"]),
                urllib.parse.urljoin(final, file["url"]),
                file.get("hashes", {}).get("sha256"),
            )
            for file in files
            if not file.get("yanked") or file.get("hashes")
        ]
    parser = _Anchors(final)
    parser.feed(data.decode("utf-8", "replace"))
    return parser.found


class _Anchors(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self.found: list[Link] = []
        self._base = base

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "base" and given.get("href"):
            self._base = urllib.parse.urljoin(self._base, str(given["href"]))
        if tag != "a" or not given.get("href"):
            return
        url, _, fragment = urllib.parse.urljoin(self._base, str(given["href"])).partition("#")
        name = urllib.parse.unquote(urllib.parse.urlparse(url).path.rpartition("/")[2])
        digest = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else None
        self.found.append(Link(name, url, digest))


def read(url: str, what: str) -> bytes:
    """Return what is at `url`.

    Raises:
        TaskError: It cannot be had, or is larger than `LARGEST`.
    """
    return _get(url, what)[0]


def _get(url: str, what: str) -> tuple[bytes, str, str]:
    """Return body, content type and final address, without user and password."""
    bare, authorization = _credentials(url)
    request = urllib.request.Request(bare, headers={"Accept": _ACCEPT})
    if authorization:
        request.add_unredirected_header("Authorization", authorization)
    context = ssl.create_default_context(cafile=settings().certificates)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT, context=context) as answer:
            data = answer.read(LARGEST + 1)
            kind, final = answer.headers.get("Content-Type", ""), answer.geturl()
    except (OSError, ValueError) as error:
        code = error.code if isinstance(error, urllib.error.HTTPError) else None
        why = "there is no such package or file" if code == 404 else f"{error}"
        raise TaskError(f"{what}: {why}") from error
    if len(data) > LARGEST:
        raise TaskError(f"{what}: more than {LARGEST} bytes")
    return data, kind, final


def _credentials(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    bare = urllib.parse.urlunsplit(parts._replace(netloc=host))
    user, password = parts.username, parts.password or ""
    if user is None:
        login = _login(parts.hostname or "")
        if login is None:
            return bare, ""
        user, password = login
    words = f"{urllib.parse.unquote(user)}:{urllib.parse.unquote(password)}"
    return bare, "Basic " + base64.b64encode(words.encode()).decode()


def _login(host: str) -> tuple[str, str] | None:
    """Return user and password that the netrc file of this user has for `host`, as pip looks."""
    try:
        known = netrc.netrc(os.environ.get("NETRC")).authenticators(host)
    except (OSError, netrc.NetrcParseError):
        return None
    return (known[0], known[2] or "") if known else None


def _shown(url: str) -> str:
    return _credentials(url)[0] if "@" in url else url


def best_wheel(offered: Iterable[Link], version: str, python: str) -> Link | None:
    """Return the wheel of `version` that fits CPython `python` on this machine best, or None."""
    from packaging.tags import compatible_tags, cpython_tags
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    numbers = tuple(map(int, python.split(".")))
    known = [*cpython_tags(numbers), *compatible_tags(numbers, f"cp{''.join(python.split('.'))}")]
    ranks = {tag: rank for rank, tag in enumerate(known)}
    best: tuple[int, Link] | None = None
    for link in offered:
        try:
            _, found, _, tags = parse_wheel_filename(link.filename)
        except InvalidWheelFilename:
            continue
        fits = [ranks[tag] for tag in tags if tag in ranks]
        # A pure wheel is the same on every machine: it goes before a compiled one.
        rank = min(fits, default=-1) - (len(ranks) if link.filename.endswith("-any.whl") else 0)
        if fits and same_version(str(found), version) and (best is None or rank < best[0]):
            best = (rank, link)
    return best[1] if best else None
