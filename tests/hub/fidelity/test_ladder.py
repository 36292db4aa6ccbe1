"""The ladder on the toy package: a faithful engine passes, each bug is caught where expected."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from hub.errors import DeclarationError
from hub.fidelity import Check, CheckResult, Run, patched
from hub.fidelity.ladder import level_reached, run_ladder
from hub.fidelity.mutants import MutantRow, run_mutants, summarise


def test_a_faithful_discrete_engine_passes_three_levels(strip: ModuleType) -> None:
    reports = run_ladder(strip.DECLARATION, Run(level=3))
    assert [report.state for report in reports] == ["passed"] * 3
    assert level_reached(reports) == 3
    assert reports[2].rollouts.episodes >= 1_000
    assert reports[2].distributions.samples >= 256


def test_a_faithful_continuous_engine_passes_three_levels(swing: ModuleType) -> None:
    reports = run_ladder(swing.DECLARATION, Run(level=3))
    assert level_reached(reports) == 3, reports[-1].detail
    assert reports[2].rollouts.states >= 1_000
    assert 0 < reports[2].rollouts.free_runs < reports[2].rollouts.states


def test_each_kind_of_bug_is_caught_at_its_level(strip: ModuleType) -> None:
    report = run_mutants(strip.DECLARATION, Run(sample=0.2))
    caught = {row.name: row.caught_at for row in report.rows}
    assert caught == {
        "goal": 1,
        "mirror": 1,
        "no-ice": 1,
        "slide-first": 2,
        "late": 3,
        "stuck": 3,
    }
    assert report.survivors == ()
    assert report.shares == {1: 3 / 6, 2: 1 / 6, 3: 2 / 6}


def test_a_wrong_time_step_is_caught_by_teacher_forcing(swing: ModuleType) -> None:
    row = run_mutants(swing.DECLARATION, Run()).rows[0]
    assert row.caught_at == 3
    assert "largest error of a step" in row.detail


def test_lost_randomness_passes_equal_seeds_and_fails_the_distributions(strip: ModuleType) -> None:
    with next(m for m in strip.MUTANTS if m.name == "stuck").inject():
        report = run_ladder(strip.DECLARATION, Run(level=3, sample=0.1))[2]
    assert report.rollouts.passed
    assert not report.distributions.passed
    assert "does not vary between episodes" in report.detail


def test_fewer_than_thirty_mutants_do_not_pass_and_neither_does_a_survivor() -> None:
    rows = [MutantRow(str(i), "sign", "", 1, "") for i in range(30)]
    assert summarise(rows).passed
    assert not summarise(rows[:29]).passed
    survivor = replace(rows[0], caught_at=None)
    assert summarise([*rows, survivor]).survivors == ("0",)
    assert not summarise([*rows, survivor]).passed


def test_mutants_of_a_failing_engine_teach_nothing(strip: ModuleType) -> None:
    with (
        patched("toystrip.engine:GOAL", 2.0),
        pytest.raises(DeclarationError, match="fails L1 without any mutant: rewards"),
    ):
        run_mutants(strip.DECLARATION, Run(sample=0.1))


def test_an_exception_in_a_check_fails_it_and_stops_the_ladder(strip: ModuleType) -> None:
    def broken(samples: int, seed: int) -> CheckResult:
        raise ZeroDivisionError("by nothing")

    declaration = replace(strip.DECLARATION, components=(Check("broken", broken),))
    (report,) = run_ladder(declaration, Run())
    assert report.state == "failed"
    assert report.detail == "broken: ZeroDivisionError: by nothing"


def test_a_check_without_cases_fails(strip: ModuleType) -> None:
    nothing = Check("nothing", lambda samples, seed: CheckResult(0, 0.0))
    (report,) = run_ladder(replace(strip.DECLARATION, components=(nothing,)), Run())
    assert report.detail == "nothing: the check compared nothing"


def test_a_patch_that_changes_nothing_is_refused(strip: ModuleType) -> None:
    with pytest.raises(DeclarationError, match="already 40"), patched("toystrip.engine:LIMIT", 40):
        pass
    with (
        pytest.raises(DeclarationError, match="names no attribute"),
        patched("toystrip.engine:X", 1),
    ):
        pass
