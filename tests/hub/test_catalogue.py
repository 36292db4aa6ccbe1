from __future__ import annotations

import importlib.metadata
import json
import re
import tomllib
from pathlib import Path

import gymnasium
import pytest
from click.testing import CliRunner

import hub
from hub.catalogue import __main__ as writer
from hub.catalogue import catalogue_cards
from tests import need
from tests.plugin_site import PluginSite

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_DISTRIBUTIONS = """
import importlib.metadata as metadata
real_points, real_version = metadata.entry_points, metadata.version

def only_the_core(**selection):
    found = [p for p in real_points(**selection) if p.dist.name == "gymhub"]
    return metadata.EntryPoints(found)

def version(name):
    if name.startswith("gymhub-"):
        raise metadata.PackageNotFoundError(name)
    return real_version(name)

metadata.entry_points, metadata.version = only_the_core, version
"""


def test_the_catalogue_equals_the_installed_cards() -> None:
    installed = {card.id: card for card in writer.installed_cards()}
    for card in catalogue_cards():
        if card.missing():
            need.missing(card.reason())
        assert card == installed[card.id]
    assert installed.keys() == {card.id for card in catalogue_cards()}


def test_the_writer_keeps_cards_of_absent_distributions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "CARDS", tmp_path / "cards.json")
    monkeypatch.setattr(writer, "installed_cards", list)
    gone = hub.Requirement("distribution", "gymhub-no-such", "pip install ./native/gone")
    absent = hub.EnvCard("native/Gone-v0", "Gone.", "native", "c", "gone:Env", requires=(gone,))
    here = hub.EnvCard("native/Here-v0", "Here.", "native", "c", "here:Env")
    monkeypatch.setattr(writer, "catalogue_cards", lambda: [absent, here])
    assert CliRunner().invoke(writer.main, []).exit_code == 0
    assert json.loads((tmp_path / "cards.json").read_text()) == [absent.to_json()]
    assert CliRunner().invoke(writer.main, ["--check"]).exit_code == 0
    (tmp_path / "cards.json").write_text("[]\n")
    stale = CliRunner().invoke(writer.main, ["--check"])
    assert stale.exit_code == 1
    assert "run python -m hub.catalogue" in stale.output


def test_absent_distributions_stay_listed_and_raise_with_the_same_words(site: PluginSite) -> None:
    site.module("sitecustomize", WITHOUT_DISTRIBUTIONS)
    listed = site.hub("list", "--absent", "--json", "-")
    assert listed.returncode == 0, listed.stderr
    rows = {row["id"]: row for row in json.loads(listed.stdout)["environments"]}
    assert rows.keys() >= {card.id for card in catalogue_cards()}
    row = rows["hub:native/Pong-v0"]
    assert row["fix"] == "pip install ./native/pong"
    for make in ("make", "make_vec"):
        out = site.python(f"""
            import gymnasium, hub
            try:
                gymnasium.{make}("hub:native/Pong-v0")
            except hub.MissingDependency as error:
                print(error)
        """)
        assert out == f"hub:native/Pong-v0 {row['reason']}. Fix: {row['fix']}\n"


@pytest.mark.parametrize(("variable", "names"), [("HUB_BLOCK_PLUGINS", "hub_pong"),
                                                 ("HUB_PLUGINS", "hub_jax")])  # fmt: skip
def test_an_environment_that_is_kept_out_stays_listed_with_who_keeps_it_out(
    site: PluginSite, variable: str, names: str
) -> None:
    need.module("hub_pong")
    reason = "needs plugin hub_pong, which HUB_PLUGINS or HUB_BLOCK_PLUGINS keeps out"
    listed = site.hub("list", "--absent", "--json", "-", env={variable: names})
    rows = {row["id"]: row for row in json.loads(listed.stdout)["environments"]}
    assert rows["hub:native/Pong-v0"]["reason"] == reason
    assert "unset" in rows["hub:native/Pong-v0"]["fix"]
    code = """
        import gymnasium, hub
        try:
            gymnasium.make("hub:native/Pong-v0")
        except hub.MissingDependency as error:
            print(error)
    """
    assert site.python(code, {variable: names}).startswith(f"hub:native/Pong-v0 {reason}. Fix: ")


def test_info_works_for_an_absent_environment(site: PluginSite) -> None:
    site.module("sitecustomize", WITHOUT_DISTRIBUTIONS)
    shown = site.hub("info", "native/Pong-v0")
    assert shown.returncode == 0, shown.stderr
    assert "pip install ./native/pong" in shown.stdout


@pytest.mark.parametrize(
    "card", [*catalogue_cards(), *hub.PLUGINS.registry], ids=lambda card: str(card.id)
)
def test_no_fix_names_an_unpublished_distribution(card: hub.EnvCard) -> None:
    for requirement in card.requires:
        assert not re.search(r"install\s+(-\S+\s+)*['\"]?gymhub", requirement.fix)
        for path in re.findall(r"\./\S+", requirement.fix):
            assert (ROOT / path.strip("'\"")).is_dir(), f"{path} does not exist"


def test_no_dependency_or_extra_names_an_unpublished_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    for requirement in [*project["dependencies"], *(r for extra in extras for r in extra)]:
        # `gymhub[jax]` in an extra is the project itself; pip looks nowhere for it.
        assert not requirement.startswith("gymhub-")


def test_an_install_without_extras_pulls_only_small_pure_packages() -> None:
    requires = importlib.metadata.requires("gymhub") or []
    names = {re.split(r"[^\w-]", r)[0] for r in requires if "extra ==" not in r}
    assert names == {"numpy", "gymnasium", "pluggy", "click", "rich"}


def test_gymnasium_knows_every_catalogued_id() -> None:
    for card in catalogue_cards():
        assert card.id.removeprefix("hub:") in gymnasium.registry
