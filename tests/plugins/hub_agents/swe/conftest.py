"""A small package of our own in two releases, mined once: real archives, sandboxes and pytest."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub.dialogue import SandboxOptions
from hub.errors import TaskError
from hub_agents.swe import mine, releases
from hub_agents.swe.instance import Instance
from tests import need
from tests.hub.cli.conftest import run as run  # the fixture
from tests.hub.sandbox.conftest import require

SPANS = Path(__file__).with_name("spans")
PACKAGE, OLD, NEW = "hub-spans", "1.0", "1.1"


def sdist(folder: Path, name: str, files: dict[str, str | bytes]) -> Path:
    """Write a source archive `NAME.tar.gz` of `files` and return its path."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path, text in sorted(files.items()):
            data = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    path = folder / f"{name}.tar.gz"
    path.write_bytes(gzip.compress(out.getvalue(), mtime=0))
    return path


def release(version: str, source: str, tests: str) -> dict[str, str | bytes]:
    """Return the files of one release; running its setup.py would leave a mark."""
    mark = "import pathlib\npathlib.Path('/tmp/hub-spans-was-built').touch()\n"
    return {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: hub-spans\nVersion: {version}\n",
        "setup.py": mark,
        "spans.py": source,
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n",
        "tests/test_spans.py": tests,
    }


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder with both releases; pip looks into it, and the cache is empty."""
    folder = tmp_path_factory.mktemp("archives")
    for version in (OLD, NEW):
        name = version.replace(".", "_")
        source = (SPANS / f"spans_{name}.py.txt").read_text(encoding="utf-8")
        tests = (SPANS / f"tests_{name}.py.txt").read_text(encoding="utf-8")
        sdist(folder, f"{PACKAGE.replace('-', '_')}-{version}", release(version, source, tests))
    found = f"{folder} {os.environ.get('PIP_FIND_LINKS', '')}".strip()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_FIND_LINKS", found)
        patch.setenv("HUB_SWE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield folder


@pytest.fixture(scope="session")
def options() -> SandboxOptions:
    return SandboxOptions(provider=require("bubblewrap"))


@pytest.fixture(scope="session")
def pins(archives: Path, options: SandboxOptions) -> list[str]:
    """Pins of what any tests need; they come from the package index."""
    try:
        return releases.pinned({}, [], mine.python_of(options))
    except TaskError as error:
        need.missing(f"package index: {error}")


@pytest.fixture(scope="session")
def mined(archives: Path, pins: list[str], options: SandboxOptions) -> Instance:
    both = releases.pair(PACKAGE, OLD, NEW)
    return mine.Miner(options, 1, print).verified(mine.Material.of(both, pins))


@pytest.fixture(scope="session")
def mined_file(mined: Instance, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mined") / "instance.json"
    path.write_text(json.dumps(mined.to_json()), encoding="utf-8")
    return path


@pytest.fixture(params=["apptainer", "bubblewrap"])
def provider(request: pytest.FixtureRequest) -> str:
    return require(request.param)
