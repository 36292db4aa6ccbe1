from __future__ import annotations

import pytest

from hub.plugins import Plugins
from hub.registry import Conflict
from tests.hub.cli.conftest import Run
from tests.plugin_site import PluginSite

FIELDS = {
    "name", "distribution", "version", "status", "error", "details", "seconds", "hooks",
    "unknown_hooks", "envs", "components",
}  # fmt: skip


def test_json_has_the_documented_fields(run: Run, acme: Plugins) -> None:
    shown = run("plugins", "--json", "-")
    assert shown.status == 0
    assert shown.json.keys() == {"schema", "plugins", "conflicts", "unknown_names"}
    assert shown.json["schema"] == "hub.plugins/1"
    (plugin,) = shown.json["plugins"]
    assert plugin.keys() == FIELDS
    assert plugin["envs"] == ["hub:acme/Walk-v0", "hub:acme/Gone-v0"]
    assert plugin["seconds"] > 0


def test_the_table_names_version_hooks_and_ids(run: Run, acme: Plugins) -> None:
    shown = run("plugins").out
    for text in ("acme (acme-dist)", "1.0", "loaded", "register_envs", "hub:acme/Walk-v0"):
        assert text in shown


def test_a_failure_is_shown_and_its_traceback_on_request(
    run: Run, acme: Plugins, site: PluginSite
) -> None:
    site.plugin("torn", "raise ValueError('torn apart')")
    acme.load(site.points())
    shown = run("plugins")
    assert shown.status == 1
    assert "ValueError: torn apart" in shown.out
    assert "Traceback" not in shown.out
    assert "torn_hooks.py" in run("plugins", "torn").out


def test_an_unknown_name_lists_the_installed_ones(run: Run, acme: Plugins) -> None:
    shown = run("plugins", "zzz")
    assert shown.status == 2
    assert "installed: acme" in shown.err


def test_conflicts_name_both_plugins(run: Run, acme: Plugins) -> None:
    acme.conflicts.append(Conflict("hub:x/Y-v0", "one (one-dist)", "two (two-dist)"))
    shown = run("plugins")
    assert shown.status == 1
    assert "hub:x/Y-v0: one (one-dist) keeps it, two (two-dist) does not" in shown.out


def test_a_restriction_in_vain_is_told(
    run: Run, acme: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_PLUGINS", "amce")
    with pytest.warns(UserWarning, match="HUB_PLUGINS names 'amce'"):
        acme.load([])
    shown = run("plugins")
    assert shown.status == 1
    assert "names amce, which is not installed" in shown.out
