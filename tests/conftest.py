"""Fixtures that several rooms share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.plugin_site import PluginSite

# A first call imports and compiles: time limits are pytest's business.
settings.register_profile("hub", deadline=None)
settings.load_profile("hub")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PluginSite:
    """An empty directory on this process's path, for plugins."""
    path = tmp_path / "site"
    path.mkdir()
    monkeypatch.syspath_prepend(str(path))
    return PluginSite(path)
