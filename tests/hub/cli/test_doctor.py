from __future__ import annotations

from hub.doctor import PARTS
from hub.finding import Finding
from hub.plugins import Plugins
from tests.hub.cli.conftest import Run
from tests.plugin_site import PluginSite


def test_json_has_the_documented_fields(run: Run, acme: Plugins) -> None:
    shown = run("doctor", "--json", "-")
    assert shown.json.keys() == {"schema", "findings"}
    assert shown.json["schema"] == "hub.doctor/1"
    for finding in shown.json["findings"]:
        assert finding.keys() == {"part", "name", "status", "message", "fix"}
        assert finding["status"] in {"ok", "missing", "problem"}
        assert (finding["status"] == "ok") == (finding["fix"] == "")
    assert {f["part"] for f in shown.json["findings"]} <= set(PARTS)


def test_an_absent_optional_part_is_no_fault_and_comes_with_its_fix(
    run: Run, acme: Plugins
) -> None:
    shown = run("doctor")
    assert shown.status == 0
    assert "needs distribution no-such-dist, not installed here" in shown.out
    assert "fix: pip install ./native/gone" in shown.out


def test_a_failed_plugin_is_a_problem(run: Run, acme: Plugins, site: PluginSite) -> None:
    site.plugin("torn", "raise ValueError('torn apart')")
    acme.load(site.points())
    shown = run("doctor")
    assert shown.status == 1
    assert "ValueError: torn apart" in shown.out
    assert "hub plugins torn" in shown.out


def test_a_room_adds_its_part_by_one_line(run: Run, acme: Plugins, site: PluginSite) -> None:
    site.module("room", "import hub.doctor\n\ndef look():\n    return [hub.doctor.Finding("
                        "'bolt', 'missing', 'no bolt', 'buy one')]\n")  # fmt: skip
    PARTS["room"] = "room:look"
    try:
        findings = run("doctor", "--json", "-").json["findings"]
    finally:
        del PARTS["room"]
    assert {"part": "room", **vars(Finding("bolt", "missing", "no bolt", "buy one"))} in findings
