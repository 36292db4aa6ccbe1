import subprocess
import sys
from pathlib import Path

import pytest

from hub.errors import MissingDependency
from hub.plugins import Plugins
from hub.sandbox import create
from hub.sandbox.providers import catalogue
from tests.plugin_site import PluginSite

_PROVIDER = """
from hub.sandbox.providers.bubblewrap import Bubblewrap

class Mine(Bubblewrap):
    name = "mine"
"""


def test_hub_register_sandboxes_adds_a_provider_by_name(
    site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.module("mine_provider", _PROVIDER)
    site.module(
        "mine_plugin",
        "from hub import hookimpl\n\n"
        "@hookimpl\n"
        "def hub_register_sandboxes(register):\n"
        "    register('mine', 'mine_provider:Mine', 'A provider of a plugin')\n"
        "    register('init', 'hub_sandbox_init:path')\n",
    )
    import mine_plugin

    from hub.plugins import PluginRecord

    plugins.add(mine_plugin, PluginRecord("mine"))
    monkeypatch.setattr(catalogue, "PLUGINS", plugins)
    assert list(catalogue.providers())[:2] == ["apptainer", "bubblewrap"]
    if catalogue.providers()["mine"].missing() is None:
        with create(provider="mine") as sandbox:
            assert sandbox.provider == "mine"
            assert sandbox.exec("echo hi").stdout == "hi\n"


def test_without_the_helper_the_error_has_the_command_that_brings_it(
    plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "PLUGINS", plugins)
    with pytest.raises(MissingDependency, match=r"pip install \./native/sandbox-init"):
        catalogue.helper()


def test_importing_the_hub_loads_no_sandbox_and_sandboxes_load_no_spython() -> None:
    code = (
        "import sys, hub; assert 'hub.sandbox' not in sys.modules; "
        "import hub.sandbox, hub.sandbox.build; assert 'spython' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_install_script_is_a_script_and_ships_with_the_package() -> None:
    from hub.sandbox.providers.apptainer import install_script

    path = install_script()
    assert isinstance(path, Path)
    subprocess.run(["bash", "-n", str(path)], check=True)
