"""Runs the command in this process, as its script does."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hub
import hub.cli.main
from hub.plugins import Plugins
from tests.plugin_site import PluginSite


@dataclass
class Ran:
    """What a command left: exit status and both streams."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as JSON: nothing else may be on it."""
        data: dict[str, Any] = json.loads(self.out)
        return data


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hub ARGUMENTS`, with the width of a pipe whatever the test runner says."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: str) -> Ran:
        with pytest.raises(SystemExit) as ended:
            hub.cli.main.main(arguments)
        assert isinstance(ended.value.code, int)
        return Ran(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def acme(site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    """A hub that knows the plugin acme alone: `acme/Walk-v0`, and `acme/Gone-v0`, absent."""
    site.plugin("acme")
    hooks = site.path / "acme_hooks.py"
    hooks.write_text(
        hooks.read_text()
        + """
    register(hub.EnvCard(id="acme/Gone-v0", summary="Absent.", family="native", backend="c",
        entry_point="no_such.env:Env", kwargs={"size": 3},
        requires=(hub.Requirement("distribution", "no-such-dist", "pip install ./native/gone"),)))
"""
    )
    plugins.load(site.points())
    for module in ("hub", "hub.plugins", "hub.entry", "hub.describe", "hub.play", "hub.cli.bench"):
        monkeypatch.setattr(f"{module}.PLUGINS", plugins)
    return plugins


@pytest.fixture
def strip(site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A hub that knows the plugin toystrip alone, proved at level 1; the package's folder."""
    from hub.fidelity.ladder import Run
    from hub.fidelity.verifying import verify

    toy = Path(__file__).parents[1] / "fidelity" / "toystrip"
    package = site.path / "toystrip"
    shutil.copytree(toy, package, ignore=shutil.ignore_patterns("*.pyc"))
    site.distribution("toystrip", {"toystrip": "toystrip.plugin"})
    plugins.load(site.points())
    for module in ("hub", "hub.plugins", "hub.entry", "hub.describe"):
        monkeypatch.setattr(f"{module}.PLUGINS", plugins)
    verify(plugins.registry.card("toystrip/Strip-v0"), Run(level=1))
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "toystrip"]:
        del sys.modules[name]
