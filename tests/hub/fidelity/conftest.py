"""The toy package, installed for a test."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.plugin_site import PluginSite

HERE = Path(__file__).parent


@pytest.fixture
def toy(site: PluginSite) -> Iterator[PluginSite]:
    """A site that holds the distribution `toystrip`, imported afresh by every test."""
    shutil.copytree(
        HERE / "toystrip", site.path / "toystrip", ignore=shutil.ignore_patterns("*.pyc")
    )
    site.distribution("toystrip", {"toystrip": "toystrip.plugin"})
    _forget()
    yield site
    _forget()


@pytest.fixture
def strip(toy: PluginSite) -> ModuleType:
    """The strip's declaring module."""
    return importlib.import_module("toystrip.fidelity")


@pytest.fixture
def swing(toy: PluginSite) -> ModuleType:
    """The pendulum's declaring module."""
    return importlib.import_module("toystrip.swing")


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "toystrip"]:
        del sys.modules[name]
    importlib.invalidate_caches()
