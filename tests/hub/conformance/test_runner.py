"""A run survives whatever the environment does to its process, and says what happened."""

from __future__ import annotations

import time

import gymnasium
import pytest

import hub
from hub.conformance import RULES, Report, check
from hub.errors import MissingDependency, UnknownEnvironment, UnknownOption
from hub.registry import EnvCard, Requirement
from tests.hub.conformance.mutants import env_id
from tests.hub.conformance.mutants.good import Good


def test_an_environment_that_hangs_is_a_finding_at_its_step_and_not_a_hang() -> None:
    start = time.monotonic()
    report = check(env_id("Hangs"), seconds=12)
    assert time.monotonic() - start < 14
    found = report.check("run")
    assert (found.status, found.step) == ("fail", 4)
    assert "step() did not return within" in found.message
    assert {c.message for c in report.checks[5:]} == {"not run, because run failed"}


def test_a_hang_in_close_is_named_so() -> None:
    found = check(env_id("HangsInClose"), seconds=12, rules=("make",)).check("make")
    assert found.status == "fail"
    assert "close() did not return within" in found.message


def test_after_a_hang_the_other_rules_still_run_within_the_time() -> None:
    start = time.monotonic()
    report = check(env_id("HangsInRender"), seconds=20, rules=("render", "close", "seed"))
    assert time.monotonic() - start < 22
    assert "render() did not return within" in report.check("render").message
    assert report.failures == (report.check("render"),)
    assert report.check("close").status == report.check("seed").status == "pass"


@pytest.mark.parametrize("rule", ["make", "seed"])
def test_an_environment_that_says_what_it_lacks_is_an_error_in_its_words(rule: str) -> None:
    with pytest.raises(MissingDependency, match=r"LacksPart-v0: Box3D is not .* `pip install b`"):
        check(env_id("LacksPart"), seconds=12, rules=(rule,))


def test_an_environment_that_ends_its_process_is_a_finding_at_its_step() -> None:
    found = check(env_id("Exits"), seconds=15).check("run")
    assert (found.status, found.step) == ("fail", 4)
    assert "exit status 3" in found.message


def test_after_a_crash_the_other_rules_still_run() -> None:
    report = check(env_id("Crashes"), seconds=30, rules=("render", "close", "seed"))
    assert "SIGSEGV" in report.check("render").message
    assert report.failures == (report.check("render"),)
    assert report.check("close").status == report.check("seed").status == "pass"


def test_an_environment_that_never_ends_is_a_finding_within_the_time() -> None:
    start = time.monotonic()
    report = check(env_id("NeverEndsSlowly"), seconds=12)
    assert time.monotonic() - start < 14
    assert report.check("episode_end").status == "fail"
    assert [c.name for c in report.checks] == [rule.name for rule in RULES]


@pytest.mark.slow
def test_the_default_time_holds_for_an_environment_that_never_ends() -> None:
    start = time.monotonic()
    report = check(env_id("NeverEndsSlowly"))
    assert time.monotonic() - start < 50  # 45 are the default; a loaded machine ends processes late
    assert report.check("episode_end").status == "fail"
    assert [c.name for c in report.checks] == [rule.name for rule in RULES]


def test_construction_that_fails_is_one_finding_and_the_rest_is_not_run() -> None:
    report = check(env_id("RaisesOnConstruction"), seconds=15)
    assert "no such file" in report.check("make").message
    assert report.failures == (report.check("make"),)
    assert {c.message for c in report.checks[1:]} == {"not run, because make failed"}


def test_an_unknown_id_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UnknownEnvironment, match=r"CartPol-v1.*Did you mean: `CartPole`"):
        check("CartPol-v1", seconds=10)


def test_an_id_whose_module_cannot_be_imported_is_an_error() -> None:
    with pytest.raises(UnknownEnvironment, match="No module named 'nosuchmodule'"):
        check("nosuchmodule:X-v0", seconds=10)


def test_an_id_of_the_hub_that_lacks_a_part_is_an_error_with_the_fix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need = Requirement("distribution", "no-such-part", "pip install ./native/nothing")
    card = EnvCard("hub:native/Absent-v0", "Absent.", "native", "c", "x:Y", requires=(need,))
    monkeypatch.setitem(hub.PLUGINS.registry._cards, card.id, (card, "test"))
    with pytest.raises(MissingDependency, match=r"pip install \./native/nothing"):
        check("native/Absent-v0", seconds=10)


def test_an_environment_that_only_this_process_knows_is_checked_in_others() -> None:
    class Local(Good):
        def step(self, action: object) -> tuple[object, object, object, object, dict[str, object]]:
            print("noise on standard output")
            return super().step(action)

    gymnasium.register("LocalOnly-v0", entry_point=Local)
    try:
        report = check("LocalOnly-v0", seconds=30, rules=("make", "process"))
    finally:
        del gymnasium.registry["LocalOnly-v0"]
    assert report.check("process").status == "pass"
    assert report.status == "pass", str(report)


def test_only_the_rules_that_were_asked_for_run_in_their_order() -> None:
    report = check(env_id("Raises"), seconds=15, rules=("close", "spaces"))
    assert [c.name for c in report.checks] == ["spaces", "close"]
    with pytest.raises(UnknownOption, match=r"no rule determinsm; the rules: make, spec"):
        check(env_id("Raises"), rules=("determinsm",))


def test_a_report_survives_json() -> None:
    report = check(env_id("Raises"), seconds=15)
    assert Report.from_json(report.to_json()) == report
    assert report.to_json()["checks"][3].keys() == {
        "name", "status", "message", "step", "field", "seed",
    }  # fmt: skip
    assert "no fifth step" in str(report)
    assert "step 5" in str(report)
