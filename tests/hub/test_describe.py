from __future__ import annotations

import pytest

import hub
from hub.describe import describe, option_rows
from hub.plugins import Plugins, load
from tests.plugin_site import PluginSite

AVAILABLE = [card for card in hub.PLUGINS.registry if not card.missing()]


@pytest.mark.parametrize("card", AVAILABLE, ids=lambda card: str(card.id))
def test_every_environment_documents_its_rules_and_options(card: hub.EnvCard) -> None:
    described = describe(card)
    assert len(described["rules"]) > 100
    assert described["observation_space"]
    assert described["action_space"]
    assert {"render_mode"} <= {option["name"] for option in described["options"]}


def test_the_cards_kwargs_are_the_defaults_shown(
    site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.plugin("acme")
    hooks = site.path / "acme_hooks.py"
    text = hooks.read_text().replace("max_episode_steps=5", 'kwargs={"stride": 4}')
    hooks.write_text(text)
    plugins.load(site.points())
    for module in ("hub.entry", "hub.describe"):
        monkeypatch.setattr(f"{module}.PLUGINS", plugins)
    stride = describe(plugins.registry.card("acme/Walk-v0"))["options"][0]
    assert stride == {"name": "stride", "type": "int", "required": False, "default": 4}


def test_an_option_without_default_is_required_and_an_enum_shows_its_value(
    site: PluginSite, plugins: Plugins
) -> None:
    site.plugin("acme")
    env = site.path / "acme_hooks_env.py"
    changed = env.read_text().replace("stride: int = 1,", "stride, mode: Mode = Mode.FAST,")
    env.write_text("import enum\nclass Mode(enum.Enum):\n    FAST = 'fast'\n" + changed)
    plugins.load(site.points())
    card = plugins.registry.card("acme/Walk-v0")
    stride, mode, _ = option_rows(load(card.entry_point), card)
    assert stride == {"name": "stride", "type": "", "required": True, "default": None}
    assert (mode["required"], mode["default"]) == (False, "fast")
