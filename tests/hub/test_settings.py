from __future__ import annotations

from pathlib import Path

import pytest

from hub import settings
from hub.errors import SettingError
from hub.sandbox.images import root
from hub.sandbox.providers.local import Local
from tests.plugin_site import PluginSite

SCRIPT = "import sys, hub_command; sys.exit(hub_command.main())"
NONSENSE = ["banana", "true", "yes", "2", " 1", "-1"]


@pytest.mark.parametrize(("value", "on"), [(None, False), ("", False), ("0", False), ("1", True)])
def test_a_switch_is_1_or_0(monkeypatch: pytest.MonkeyPatch, value: str | None, on: bool) -> None:
    monkeypatch.delenv("HUB_X", raising=False)
    if value is not None:
        monkeypatch.setenv("HUB_X", value)
    assert settings.switch("HUB_X") is on


@pytest.mark.parametrize("value", NONSENSE)
def test_another_value_of_a_switch_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HUB_X", value)
    with pytest.raises(SettingError, match=f"^HUB_X='{value}': expected 1 .on. or 0 .*unset it"):
        settings.switch("HUB_X")


@pytest.mark.parametrize("value", ["banana", "~/images", "./x", "."])
def test_a_folder_must_be_an_absolute_path(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    for name, read in (("HUB_X", lambda: settings.folder("HUB_X")), ("HUB_IMAGES", root)):
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingError, match=f"{name}='{value}': expected the absolute path of"):
            read()


def test_a_file_is_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUB_X", str(tmp_path / "file"))
    with pytest.raises(SettingError, match="and that is a file; set another one"):
        settings.folder("HUB_X")
    monkeypatch.setenv("HUB_X", str(tmp_path / "new"))
    assert settings.folder("HUB_X") == tmp_path / "new"


@pytest.mark.parametrize("value", NONSENSE)
def test_the_host_is_opened_by_1_alone(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HUB_UNSAFE_LOCAL", value)
    reason = Local().missing()
    assert reason is not None
    assert f"HUB_UNSAFE_LOCAL='{value}': expected 1" in reason
    monkeypatch.setenv("HUB_UNSAFE_LOCAL", "1")
    assert Local().missing() is None


def test_nonsense_in_the_strict_switch_is_one_line_and_status_2(site: PluginSite) -> None:
    ended = site.run("-c", SCRIPT, "list", env={"HUB_STRICT_PLUGINS": "banana"})
    assert ended.returncode == 2
    assert ended.stderr == (
        "hub: HUB_STRICT_PLUGINS='banana': expected 1 (on) or 0 (off); set one, or unset it\n"
    )


@pytest.mark.parametrize("variable", ["HUB_PLUGINS", "HUB_BLOCK_PLUGINS"])
def test_a_plugin_that_is_not_installed_is_warned_of_with_those_that_are(
    site: PluginSite, variable: str
) -> None:
    site.plugin("acme")
    ended = site.run("-W", "always", "-c", "import hub", env={variable: "amce"})
    assert ended.returncode == 0
    assert f"{variable} names 'amce', which is not installed: expected names of" in ended.stderr
    assert "acme" in ended.stderr.split("expected names of")[1]
