"""Archives by name, version and checksum, from an index that a real server gives."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hub.errors import TaskError
from hub_agents.swe import index, sdists
from hub_agents.swe.index import Link
from tests.plugins.hub_agents.swe.conftest import sdist


class Handler(SimpleHTTPRequestHandler):
    """Serves files; pages as JSON where there is a `.json`, else as HTML; asks for a password."""

    def do_GET(self) -> None:
        asked.append(self.path)
        if "secret" in self.path and self.headers.get("Authorization") != "Basic bWU6cHc=":
            self.send_error(401)
            return
        super().do_GET()

    def guess_type(self, path: str | Path) -> str:  # type: ignore[override]
        folder = str(path).rpartition("/")[0]
        known = "application/vnd.pypi.simple.v1+json"
        return known if folder.endswith("as-json") else super().guess_type(path)

    def log_message(self, *words: object) -> None:
        pass


asked: list[str] = []


def page(*links: tuple[str, str]) -> str:
    anchors = "".join(f'<a href="{url}">{name}</a><br/>' for name, url in links)
    return f"<!DOCTYPE html><html><body>{anchors}</body></html>"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that is served; pip's index is its `simple/`, and the cache is empty."""
    folder = tmp_path / "served"
    (folder / "simple").mkdir(parents=True)
    (folder / "files").mkdir()
    made = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{made.server_port}/simple")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HUB_SWE_CACHE", str(tmp_path / "cache"))
    asked.clear()
    yield folder
    made.shutdown()
    thread.join()
    made.server_close()


def put(server: Path, name: str = "my-pkg", claim: str | None = None) -> tuple[Path, str]:
    """Serve my_pkg-1.0.tar.gz, on a page that claims a checksum; return it and the true one."""
    path = sdist(server / "files", "my_pkg-1.0", {"setup.py": "raise SystemExit('built')\n"})
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    folder = server / "simple" / name
    folder.mkdir()
    url = f"../../files/{path.name}#sha256={claim or digest}"
    other = ("my_pkg-2.0.tar.gz", "../../files/my_pkg-2.0.tar.gz")
    (folder / "index.html").write_text(page((path.name, url), other), encoding="utf-8")
    return path, digest


def test_an_archive_is_fetched_once_and_kept_by_its_checksum(server: Path) -> None:
    path, digest = put(server)
    first = sdists.source("My.Pkg", "1.0")
    assert (first.sha256, first.read()) == (digest, path.read_bytes())
    count = len(asked)
    assert sdists.source("my_pkg", "1.0", digest) == first
    assert len(asked) == count


def test_a_damaged_cache_is_fetched_anew(server: Path) -> None:
    path, _ = put(server)
    sdists.source("my-pkg", "1.0").path.write_bytes(b"rot")
    assert sdists.source("my-pkg", "1.0").read() == path.read_bytes()


def test_another_archive_than_the_index_promises_is_refused(server: Path) -> None:
    put(server, claim="0" * 64)
    with pytest.raises(TaskError, match="the index promises 0000"):
        sdists.source("my-pkg", "1.0")
    assert not list((sdists.cache()).rglob("*.tar.gz"))


@pytest.mark.parametrize(
    ("package", "version", "words"),
    [
        ("my-pkg", "3.0", r"source archive of my-pkg 3\.0: the index has none"),
        ("my-pkg", "2.0", "there is no such package or file"),
        ("absent", "1.0", "package 'absent': .*there is no such package"),
    ],
)
def test_what_is_not_there_is_named(server: Path, package: str, version: str, words: str) -> None:
    put(server)
    with pytest.raises(TaskError, match=words):
        sdists.source(package, version)


def test_an_index_that_does_not_answer_is_named(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    with pytest.raises(TaskError, match=r"index page http://127.0.0.1:1/simple/my-pkg/: .*refused"):
        sdists.source("my-pkg", "1.0")


def test_user_and_password_of_the_url_are_sent_and_not_shown(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(server)
    (server / "simple").rename(server / "secret")
    url = index.settings().indexes[0].replace("simple", "secret")
    monkeypatch.setenv("PIP_INDEX_URL", url.replace("://", "://me:pw@"))
    assert sdists.source("my-pkg", "1.0").name == "my_pkg-1.0.tar.gz"
    monkeypatch.setenv("PIP_INDEX_URL", url.replace("://", "://me:wrong@"))
    with pytest.raises(TaskError, match="401") as caught:
        index.links("my-pkg")
    assert "wrong" not in str(caught.value)


def test_pages_as_json_are_read(server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, digest = put(server)
    folder = server / "as-json"
    folder.mkdir()
    files = [{"filename": path.name, "url": f"/files/{path.name}", "hashes": {"sha256": digest}}]
    (folder / "my-pkg").mkdir()
    (folder / "page").write_text(json.dumps({"files": files}), encoding="utf-8")
    port = index.settings().indexes[0].rpartition(":")[2].partition("/")[0]
    found = index._page(f"http://127.0.0.1:{port}/as-json/page")  # white box: the path is given
    assert found == [Link(path.name, f"http://127.0.0.1:{port}/files/{path.name}", digest)]


def test_the_index_is_pips_own_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (found,) = index.settings().indexes
    assert found.startswith("https://")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert index.settings().indexes == ()


@pytest.mark.parametrize("pin", ["x", "x>=1", "x==1 --hash=md5:00", "x==1; python_version>'3'"])
def test_a_requirement_that_is_no_pin_is_refused(pin: str) -> None:
    with pytest.raises(TaskError, match="expected NAME==VERSION"):
        sdists.wheels([pin], "3.11")


def test_a_pure_wheel_goes_before_a_compiled_one_and_others_do_not_fit() -> None:
    names = [
        *("a-1-cp39-cp39-manylinux1_x86_64.whl", "a-1-cp311-cp311-win_amd64.whl"),
        *("a-1-py3-none-any.whl", "a-2-py3-none-any.whl", "a-1.tar.gz", "nonsense.whl"),
    ]
    offered = [Link(name, name) for name in names]
    best = index.best_wheel(offered, "1.0", "3.11")
    assert best is not None
    assert best.filename == "a-1-py3-none-any.whl"
    assert index.best_wheel(offered[:2], "1", "3.11") is None
    assert index.best_wheel(offered, "3", "3.11") is None
