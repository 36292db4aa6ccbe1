from __future__ import annotations

from collections.abc import Callable

import gymnasium
import pytest

import hub
from hub.plugins import PluginRecord, Plugins, hook_names, load
from tests.plugin_site import PluginSite

Load = Callable[[], Plugins]

HALF = """
import hub

@hub.hookimpl
def hub_register_benchmarks(register):
    register("speed", "half.bench:run")

@hub.hookimpl
def hub_register_envs(register):
    register(hub.EnvCard(id="half/Walk-v0", summary="A walk.", family="python",
        backend="python", entry_point="half.env:Walk"))
    raise RuntimeError("half way\\nthrough")
"""

SUITE = """
import hub

@hub.hookimpl
def hub_register_benchmarks(register):
    register("speed", "{target}")
"""


def record(plugins: Plugins, name: str) -> PluginRecord:
    return next(r for r in plugins.records if r.name == name)


def test_an_installed_plugin_registers_its_ids(site: PluginSite, loaded: Load) -> None:
    site.plugin("acme")
    plugins = loaded()
    acme = record(plugins, "acme")
    assert (acme.status, acme.distribution, acme.version) == ("loaded", "acme-dist", "1.0")
    assert (acme.hooks, acme.envs) == (["hub_register_envs"], ["hub:acme/Walk-v0"])
    assert "acme/Walk-v0" in gymnasium.registry
    assert plugins.registry.owner("acme/Walk-v0") == "acme (acme-dist)"


def test_load_time_covers_the_import(site: PluginSite, loaded: Load) -> None:
    site.plugin("slow", "import time\nimport hub\ntime.sleep(0.05)\n" + HALF)
    site.plugin("acme")
    plugins = loaded()
    assert record(plugins, "slow").seconds >= 0.05
    assert 0 < record(plugins, "acme").seconds < 0.05


def test_a_failing_hook_rolls_back_everything_of_its_plugin(site: PluginSite, loaded: Load) -> None:
    site.plugin("half", HALF)
    site.plugin("acme")
    plugins = loaded()
    half = record(plugins, "half")
    assert (half.status, half.error) == ("failed", "RuntimeError: half way through")
    assert "half_hooks.py" in half.details
    assert half.envs == []
    assert plugins.kind("benchmarks") == {}
    assert "half/Walk-v0" not in gymnasium.registry
    assert not plugins.manager.has_plugin("half (half-dist)")
    assert [card.id for card in plugins.registry] == ["hub:acme/Walk-v0"]


@pytest.mark.parametrize(
    ("source", "error"),
    [
        # pytest#1479: an import error inside a plugin must be reported, not taken for absence.
        ("import hub\nimport no_such_module", "ModuleNotFoundError: No module named"),
        ("def broken(:", "SyntaxError"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("raise SystemError", "SystemError"),
        ("x = 1", "PluginError: it implements no hook; the hub has hub_register_benchmarks"),
        ("def hub_register_envs(register): ...", "hub_register_envs lacks the mark @hub.hookimpl"),
        (
            "import hub\n@hub.hookimpl\ndef hub_register_env(register): ...",
            "PluginError: unknown hook hub_register_env; the hub has",
        ),
        (
            "import hub\n@hub.hookimpl\ndef hub_register_envs(registry): ...",
            "PluginValidationError",
        ),
        (
            "import hub\n@hub.hookimpl\ndef hub_register_envs(register): register(1)",
            "CardError: register(1): expected a hub.EnvCard",
        ),
    ],
)
def test_one_broken_plugin_is_recorded_and_the_others_work(
    site: PluginSite, loaded: Load, source: str, error: str
) -> None:
    # llm#1280, conda PR #12460: one broken plugin made the whole command unusable.
    site.plugin("aaa_broken", source)
    site.plugin("acme")
    plugins = loaded()
    assert record(plugins, "aaa_broken").status == "failed"
    assert error in record(plugins, "aaa_broken").error
    assert record(plugins, "acme").status == "loaded"
    assert "acme/Walk-v0" in gymnasium.registry


def test_an_entry_point_that_names_nothing_is_recorded(site: PluginSite, loaded: Load) -> None:
    site.distribution("ghost-dist", {"ghost": "ghost.plugin"})
    site.distribution("attr-dist", {"attr": "json:no_such"})
    plugins = loaded()
    assert record(plugins, "ghost").error.startswith("ModuleNotFoundError")
    assert record(plugins, "attr").error.startswith("AttributeError")


def test_strict_mode_raises_the_first_error(
    site: PluginSite, loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_STRICT_PLUGINS", "1")
    site.plugin("half", HALF)
    with pytest.raises(hub.PluginError, match=r"plugin half \(half-dist\): RuntimeError: half way"):
        loaded()
    assert "half/Walk-v0" not in gymnasium.registry


@pytest.mark.parametrize(
    ("only", "blocked", "expected"),
    [
        (None, None, {"one", "two"}),
        ("one", None, {"one"}),
        (" one , two ", None, {"one", "two"}),
        ("", None, set()),
        (None, "one", {"two"}),
        ("one,two", "two", {"one"}),
    ],
)
def test_environment_variables_restrict_and_block_by_entry_point_name(
    site: PluginSite,
    loaded: Load,
    monkeypatch: pytest.MonkeyPatch,
    only: str | None,
    blocked: str | None,
    expected: set[str],
) -> None:
    for variable, value in (("HUB_PLUGINS", only), ("HUB_BLOCK_PLUGINS", blocked)):
        if value is not None:
            monkeypatch.setenv(variable, value)
    site.plugin("one")
    site.plugin("two")
    plugins = loaded()
    assert {r.name for r in plugins.records if r.status == "loaded"} == expected
    assert {r.name for r in plugins.records if r.status == "blocked"} == {"one", "two"} - expected
    assert {card.namespace for card in plugins.registry} == expected


def test_an_id_of_a_blocked_plugin_is_answered_with_who_keeps_it_out(
    site: PluginSite, loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_BLOCK_PLUGINS", "acme")
    site.plugin("acme")
    with pytest.raises(hub.UnknownEnvironment, match="HUB_BLOCK_PLUGINS keeps out: acme"):
        loaded().registry.card("hub:acme/Walk-v0")


def test_what_a_plugin_prints_does_not_reach_standard_output(
    site: PluginSite, loaded: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    site.plugin("acme", "print('noise')\n")
    loaded()
    written = capsys.readouterr()
    assert (written.out, "noise" in written.err) == ("", True)


def test_a_restriction_to_a_plugin_that_is_not_installed_is_noticed(
    site: PluginSite, loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_PLUGINS", "acme,amce")
    site.plugin("acme")
    with pytest.warns(UserWarning, match="HUB_PLUGINS names 'amce', which is not installed"):
        assert loaded().unknown_names == ["amce"]


def test_two_plugins_that_claim_one_id_are_both_named_and_the_first_keeps_it(
    site: PluginSite, loaded: Load
) -> None:
    site.plugin("acme")
    source = (site.path / "acme_hooks.py").read_text().replace("A walk.", "Another.")
    site.plugin("acme", source, module="other_hooks", dist="zcme-dist")
    plugins = loaded()
    assert [r.status for r in plugins.records] == ["loaded", "loaded"]
    (conflict,) = plugins.conflicts
    assert conflict.name == "hub:acme/Walk-v0"
    assert {conflict.kept, conflict.refused} == {"acme (acme-dist)", "acme (zcme-dist)"}
    assert plugins.registry.owner("acme/Walk-v0") == conflict.kept


def test_a_failure_beside_a_plugin_of_the_same_name_leaves_that_one_alone(
    site: PluginSite, loaded: Load
) -> None:
    site.plugin("acme")
    site.plugin("acme", "raise ValueError('no')", module="other_hooks", dist="zcme-dist")
    plugins = loaded()
    assert sorted(r.status for r in plugins.records) == ["failed", "loaded"]
    assert [card.id for card in plugins.registry] == ["hub:acme/Walk-v0"]
    assert plugins.manager.has_plugin("acme (acme-dist)")


def test_two_components_of_one_name_are_a_conflict(site: PluginSite, loaded: Load) -> None:
    site.plugin("one", SUITE.format(target="one.bench:run"))
    site.plugin("two", SUITE.format(target="two.bench:run"))
    plugins = loaded()
    (conflict,) = plugins.conflicts
    assert conflict.name == "benchmarks speed"
    assert (conflict.kept, conflict.refused) == ("one (one-dist)", "two (two-dist)")
    assert plugins.kind("benchmarks")["speed"].target == "one.bench:run"


def test_a_component_without_a_proper_target_is_refused(site: PluginSite, loaded: Load) -> None:
    site.plugin("one", SUITE.format(target="one.bench.run"))
    assert "benchmarks 'speed': target 'one.bench.run'" in record(loaded(), "one").error


def test_an_id_registered_twice_by_one_plugin_fails_it(site: PluginSite, loaded: Load) -> None:
    site.plugin("acme")
    source = (site.path / "acme_hooks.py").read_text()
    site.module("acme_hooks", source + source[source.index("    register(") :])
    assert "acme (acme-dist) registers it twice" in record(loaded(), "acme").error


def test_a_third_party_registers_only_under_its_entry_points_name(
    site: PluginSite, loaded: Load
) -> None:
    site.plugin("acme")
    source = (site.path / "acme_hooks.py").read_text()
    site.plugin("other", source)
    assert "plugin other (other-dist) may register under other;" in record(loaded(), "other").error


@pytest.mark.parametrize("name", ["native", "jax", "agent"])
def test_built_in_namespaces_are_reserved_for_first_party_distributions(
    site: PluginSite, loaded: Load, name: str
) -> None:
    site.plugin(name)
    assert "its name is reserved" in record(loaded(), name).error


def test_first_party_plugins_share_the_built_in_namespaces_and_load_first(
    site: PluginSite, loaded: Load
) -> None:
    site.plugin("aaa")
    source = (site.path / "aaa_hooks.py").read_text()
    site.plugin("hub_pong", source.replace("aaa/", "native/"), dist="gymhub_pong")
    plugins = loaded()
    assert [r.name for r in plugins.records] == ["hub_pong", "aaa"]
    assert "native/Walk-v0" in gymnasium.registry


def test_loading_again_adds_only_what_is_new(site: PluginSite, loaded: Load) -> None:
    site.plugin("one")
    loaded()
    site.plugin("two")
    plugins = loaded()
    assert [r.name for r in plugins.records] == ["one", "two"]
    assert plugins.conflicts == []


def test_the_error_for_an_id_of_a_failed_plugin_says_what_failed(
    site: PluginSite, loaded: Load
) -> None:
    site.plugin("half", HALF)
    with pytest.raises(hub.UnknownEnvironment, match=r"plugin half \(half-dist\) failed: Runtime"):
        loaded().registry.card("half/Walk-v0")


def test_a_plugin_module_that_is_imported_before_the_hub_still_registers(
    site: PluginSite,
) -> None:
    site.plugin("acme")
    out = site.python("""
        import acme_hooks
        import gymnasium
        import hub
        print(gymnasium.make("acme/Walk-v0").spec.id, hub.PLUGINS.conflicts)
    """)
    assert out == "acme/Walk-v0 []\n"


def test_a_target_that_cannot_be_loaded_is_named() -> None:
    assert load("json:loads")("1") == 1
    with pytest.raises(hub.TargetError, match="no_such:thing cannot be loaded: ModuleNotFound"):
        load("no_such:thing")
    with pytest.raises(hub.TargetError, match="json:thing cannot be loaded: AttributeError"):
        load("json:thing")


def test_hook_names_are_the_functions_of_the_hookspecs() -> None:
    assert "hub_register_envs" in hook_names()
    assert all(name.startswith("hub_") for name in hook_names())
