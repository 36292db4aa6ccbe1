from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from hub.plugins import PluginRecord, Plugins
from tests.hub.cli.conftest import Run
from tests.plugin_site import PluginSite

FIELDS = {"id", "family", "backend", "available", "reason", "fix", "fidelity"}
GONE = {
    "id": "hub:acme/Gone-v0",
    "family": "native",
    "backend": "c",
    "available": False,
    "reason": "needs distribution no-such-dist, not installed here",
    "fix": "pip install ./native/gone",
    "fidelity": None,
}


def test_json_on_standard_output_is_alone_and_has_the_documented_fields(
    run: Run, acme: Plugins
) -> None:
    listed = run("list", "--json", "-")
    assert listed.status == 0
    assert listed.json.keys() == {"schema", "environments"}
    assert listed.json["schema"] == "hub.list/1"
    assert all(row.keys() == FIELDS for row in listed.json["environments"])
    assert GONE in listed.json["environments"]


def test_json_to_a_path_leaves_the_table_on_standard_output(
    run: Run, acme: Plugins, tmp_path: Path
) -> None:
    listed = run("list", "--json", str(tmp_path / "list.json"))
    assert json.loads((tmp_path / "list.json").read_text())["schema"] == "hub.list/1"
    assert "hub:acme/Walk-v0" in listed.out


def test_the_table_shows_reason_and_fix_of_an_absent_one(run: Run, acme: Plugins) -> None:
    listed = run("list")
    assert "no: needs distribution no-such-dist, not installed here" in listed.out
    assert "fix: pip install ./native/gone" in listed.out
    assert "\x1b" not in listed.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["Gone", "Walk"]),
        (["WALK"], ["Walk"]),
        (["absent."], ["Gone"]),
        (["--family", "native"], ["Gone"]),
        (["--backend", "python"], ["Walk"]),
        (["--available"], ["Walk"]),
        (["--absent"], ["Gone"]),
        (["--namespace", "acme"], ["Gone", "Walk"]),
        (["--namespace", "jax"], []),
        (["walk", "--backend", "c"], []),
    ],
)
def test_filters_narrow_the_list(
    run: Run, acme: Plugins, arguments: list[str], expected: list[str]
) -> None:
    rows = run("list", *arguments, "--json", "-").json["environments"]
    assert [row["id"] for row in rows] == [f"hub:acme/{name}-v0" for name in expected]


def test_an_empty_result_says_so(run: Run, acme: Plugins) -> None:
    assert run("list", "zzz").out.strip() == "no environment matches"


def test_a_failed_plugin_is_told_beside_the_list(run: Run, acme: Plugins) -> None:
    acme.records.append(PluginRecord("half", "half-dist", status="failed", error="ValueError: no"))
    for arguments in ((), ("--json", "-")):
        listed = run("list", *arguments)
        assert listed.status == 0
        assert "plugin half (half-dist) failed" in listed.err
        assert "ValueError: no" in listed.err


# `__main__` has no spec, and the import system raises for it what nobody expects.
HOSTILE = """
import hub

@hub.hookimpl
def hub_register_envs(register):
    for number, changes in enumerate((
        {"fidelity": "__main__:X"},
        {"fidelity": "os:getcwd"},
        {"summary": "[bold] [/nothing] {0} %s"},
        {"requires": (hub.Requirement("distribution", "../[/x]", "[/y]"),)},
        {"requires": (hub.Requirement("program", "x" * 5000, "-"),)},
    )):
        card = {"summary": "A walk.", "family": "python", "backend": "python",
                "entry_point": "no_such:Walk", **changes}
        register(hub.EnvCard(id=f"hostile/Walk-v{number}", **card))
"""


@pytest.mark.parametrize(
    "arguments", ["list", "list --json -", "doctor", "doctor --json -", "plugins"]
)
def test_no_card_that_the_hub_took_breaks_a_listing(
    run: Run, acme: Plugins, site: PluginSite, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    site.plugin("hostile", HOSTILE)
    acme.load(site.points())
    shown = run(*arguments.split())
    assert (shown.status, shown.err) == (0, "")
    assert all(f"hub:hostile/Walk-v{number}" in shown.out for number in range(5))
    assert "hub:acme/Walk-v0" in shown.out


def test_a_card_that_the_hub_refused_takes_only_its_plugin_down(
    run: Run, acme: Plugins, site: PluginSite
) -> None:
    site.plugin("hostile", HOSTILE.replace('"A walk."', "None"))
    acme.load(site.points())
    listed = run("list")
    assert "hub:hostile/Walk-v0: summary None: expected a text" in listed.err
    assert "hub:acme/Walk-v0" in listed.out


def test_a_narrow_terminal_gets_lines_that_are_whole_words(
    run: Run, acme: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = [line.rstrip() for line in run("list").out.splitlines()]
    assert lines[-3:] == ["hub:acme/Walk-v0", "  A walk.", "  python, fidelity -, here: yes"]
    assert "  fix: pip install ./native/gone" in lines
    assert max(map(len, lines)) <= 40


def test_the_level_reached_is_shown_and_whether_the_proof_still_holds(
    run: Run, strip: Path
) -> None:
    def fidelity() -> list[str | None]:
        rows = run("list", "--json", "-").json["environments"]
        shown = [row["fidelity"] for row in rows]
        line = next(line for line in run("list").out.splitlines() if "/Strip-v0" in line)
        assert f" {shown[0]} " in line
        return shown

    (path,) = (strip / "certificates").glob("*.json")
    proved = path.read_text()
    path.unlink()
    assert fidelity() == ["not verified", None]
    certificate = json.loads(proved)
    path.write_text(proved)
    assert fidelity() == ["L1 verified", None]
    certificate["reference"]["versions"] = {"numpy": "1.0"}
    path.write_text(json.dumps(certificate))
    assert fidelity() == ["L1 reference-changed", None]
    (strip / "engine.py").write_text((strip / "engine.py").read_text() + "\n")
    assert fidelity() == ["L1 stale", None]
