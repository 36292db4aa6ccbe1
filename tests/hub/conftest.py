"""Fixtures for the core's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import gymnasium
import pytest

from hub.plugins import Plugins
from tests.plugin_site import PluginSite


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugins]:
    """A plugin manager of its own; Gymnasium's registry is put back afterwards."""
    for name in ("HUB_PLUGINS", "HUB_BLOCK_PLUGINS", "HUB_STRICT_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
    specs, modules = dict(gymnasium.registry), set(sys.modules)
    yield Plugins()
    gymnasium.registry.clear()
    gymnasium.registry.update(specs)
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def loaded(site: PluginSite, plugins: Plugins) -> Callable[[], Plugins]:
    """Load what the test wrote to `site` into a plugin manager of its own."""

    def load() -> Plugins:
        plugins.load(site.points())
        return plugins

    return load
