import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hub.sandbox import Sandbox, create
from hub.sandbox.providers import providers
from tests import need

CONTAINERS = ("apptainer", "bubblewrap")


def require(name: str) -> str:
    reason = providers()[name].missing()
    if reason is not None:
        need.missing(f"sandbox provider {name}: {reason}")
    need.module("hub_sandbox_init")
    return name


@pytest.fixture(params=CONTAINERS)
def provider(request: pytest.FixtureRequest) -> str:
    return require(request.param)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with create(provider=require("bubblewrap")) as made:
        yield made


@contextmanager
def open_directory() -> Iterator[Path]:
    """A directory that the containers' user can reach; pytest keeps its own closed to others."""
    path = Path(tempfile.mkdtemp(prefix="hub-test-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path)


@pytest.fixture
def open_tmp() -> Iterator[Path]:
    with open_directory() as path:
        yield path
