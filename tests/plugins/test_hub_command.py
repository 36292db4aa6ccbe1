"""The script `hub` as pip writes it: it imports `hub_command` and calls `main`."""

from __future__ import annotations

from tests.plugin_site import PluginSite

SCRIPT = "import sys, hub_command; sys.exit(hub_command.main())"


def test_a_strict_plugin_that_fails_is_one_line_and_status_2(site: PluginSite) -> None:
    site.plugin("half", "import no_such_module")
    ended = site.run("-c", SCRIPT, "list", env={"HUB_STRICT_PLUGINS": "1"})
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("hub: plugin half (half-dist): ModuleNotFoundError: No module")
    assert ended.stderr.count("\n") == 1


def test_it_runs_the_command_line(site: PluginSite) -> None:
    site.plugin("acme")
    ended = site.run("-c", SCRIPT, "list", "acme")
    assert ended.returncode == 0, ended.stderr
    assert "hub:acme/Walk-v0" in ended.stdout
