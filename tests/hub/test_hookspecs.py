from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pluggy
import pytest

import hub
from hub import hookspecs
from hub.plugins import Plugins, hook_names
from tests.plugin_site import PluginSite

ROOT = Path(__file__).resolve().parents[2]


def test_every_hook_has_a_test_named_after_it() -> None:
    named = set()
    for path in ROOT.glob("tests/**/test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named.add(node.name)
    for hook in hook_names():
        tests = [name for name in named if name.startswith(f"test_{hook}")]
        assert tests, f"no test is called test_{hook}..."


def test_every_hook_has_a_section_in_contributing() -> None:
    headings = [
        line for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if line.startswith("#")
    ]
    for hook in hook_names():
        assert any(f"`{hook}(" in heading for heading in headings), f"no section for {hook}"


@pytest.mark.parametrize("name", hook_names())
def test_every_hook_is_typed_and_says_when_it_is_called(name: str) -> None:
    hook = getattr(hookspecs, name)
    signature = inspect.signature(hook)
    assert all(p.annotation is not p.empty for p in signature.parameters.values())
    assert signature.return_annotation is not signature.empty
    assert "Called" in (inspect.getdoc(hook) or "")


def test_the_mark_is_the_hubs_own() -> None:
    assert isinstance(hub.hookimpl, pluggy.HookimplMarker)
    assert hub.hookimpl.project_name == hookspecs.PROJECT == "hub"


def test_hub_register_envs_adds_an_id_to_gymnasium(site: PluginSite, plugins: Plugins) -> None:
    site.plugin("acme")
    plugins.load(site.points())
    assert [card.id for card in plugins.registry] == ["hub:acme/Walk-v0"]


def test_hub_register_benchmarks_adds_a_suite(site: PluginSite, plugins: Plugins) -> None:
    site.plugin(
        "acme",
        "import hub\n@hub.hookimpl\ndef hub_register_benchmarks(register):\n"
        '    register("thing", "json:loads", summary="A thing.")\n',
    )
    plugins.load(site.points())
    suite = plugins.kind("benchmarks")["thing"]
    assert suite.load()("1") == 1
    assert (suite.summary, suite.plugin) == ("A thing.", "acme (acme-dist)")


def test_hub_register_sandboxes_adds_a_provider(site: PluginSite, plugins: Plugins) -> None:
    site.plugin(
        "acme",
        "import hub\n@hub.hookimpl\ndef hub_register_sandboxes(register):\n"
        '    register("pod", "json:loads", summary="A pod.")\n',
    )
    plugins.load(site.points())
    assert plugins.kind("sandboxes")["pod"].load()("1") == 1


def test_hub_register_tools_adds_tools_and_parsers_by_their_prefix(
    site: PluginSite, plugins: Plugins
) -> None:
    source = (
        "import hub\n@hub.hookimpl\ndef hub_register_tools(register):\n"
        '    register("tool:clock", "json:loads")\n    register("parser:xml", "json:dumps")\n'
    )
    site.plugin("acme", source)
    site.plugin("bad", source.replace("tool:clock", "clock"), dist="z-bad")
    plugins.load(site.points())
    assert list(plugins.kind("tools")) == ["parser:xml", "tool:clock"]
    assert plugins.kind("tools")["tool:clock"].load()("1") == 1
    assert "expected 'tool:NAME' or 'parser:NAME'" in plugins.records[1].error


def test_hub_register_tasks_adds_a_source(site: PluginSite, plugins: Plugins) -> None:
    site.plugin(
        "acme",
        "import hub\n@hub.hookimpl\ndef hub_register_tasks(register):\n"
        '    register("acme_sums", "json:loads", summary="Sums.")\n',
    )
    plugins.load(site.points())
    assert plugins.kind("tasks")["acme_sums"].load()("1") == 1


def test_hub_register_trainers_adds_a_trainer(site: PluginSite, plugins: Plugins) -> None:
    site.plugin(
        "acme",
        "import hub\n@hub.hookimpl\ndef hub_register_trainers(register):\n"
        '    register("ppo", "json:loads")\n',
    )
    plugins.load(site.points())
    assert plugins.kind("trainers")["ppo"].load()("1") == 1


def test_hub_register_commands_adds_a_command(site: PluginSite) -> None:
    site.plugin(
        "acme",
        "import hub\n@hub.hookimpl\ndef hub_register_commands(cli):\n"
        '    cli("greet", "acme_greet:command", summary="Say hello.")\n',
    )
    site.module(
        "acme_greet", "import click\n@click.command()\ndef command():\n    click.echo('hello')\n"
    )
    assert "Say hello." in site.hub("--help").stdout
    assert site.hub("greet").stdout == "hello\n"


def test_hub_register_recipes_adds_a_recipe(site: PluginSite, plugins: Plugins) -> None:
    site.plugin(
        "acme",
        "import hub\n@hub.hookimpl\ndef hub_register_recipes(register):\n"
        '    register("fast", "json:loads", summary="Fast.")\n',
    )
    plugins.load(site.points())
    assert plugins.kind("recipes")["fast"].summary == "Fast."
