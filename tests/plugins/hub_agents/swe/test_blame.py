"""Runs of an honest fix that are ended from outside: graded again, never the agent's failure."""

from __future__ import annotations

import signal

import pytest

from hub.dialogue import SandboxOptions
from hub.trajectory import Outcome
from hub_agents.swe import commands, runner
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.report import Report, Result
from hub_agents.swe.runner import Broken, Run
from tests.plugins.hub_agents.outside import killing
from tests.plugins.hub_agents.swe.test_grading import PYTEST, changed, fixed_source, logged

PROCESS = "python3\0-c\0def _main"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_fix_whose_run_was_killed_is_graded_again(
    mined: Instance, options: SandboxOptions, number: int
) -> None:
    fix = changed(fixed_source(mined).decode())
    with killing(PROCESS, 1, number) as hit:
        grade = Grader(options).grade(mined, fix)
    assert len(hit) == 1
    assert (grade.outcome, grade.reward) == (Outcome.COMPLETED, 1.0), grade.reason


@pytest.mark.slow
def test_a_fix_whose_run_was_interrupted_in_the_middle_is_graded_again(
    mined: Instance, options: SandboxOptions
) -> None:
    slow = "import time\ntime.sleep(1.5)\n" + fixed_source(mined).decode()
    with killing(PROCESS, 1, signal.SIGINT, age=1.2) as hit:
        grade = Grader(options).grade(mined, changed(slow))
    assert len(hit) == 1
    assert (grade.outcome, grade.reward) == (Outcome.COMPLETED, 1.0), grade.reason


INTERRUPTED = """\
import os, signal

def test_before():
    pass

def test_it():
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_an_interrupted_run_is_broken_whatever_came_before(
    mined: Instance, options: SandboxOptions
) -> None:
    overlay = {"tests/test_signal.py": INTERRUPTED}
    with (
        runner.workshop(mined, options, {}, overlay) as sandbox,
        pytest.raises(Broken, match="exit status 2"),
    ):
        runner.run(sandbox, mined, ["tests/test_signal.py"])
    row = logged(mined, PYTEST.replace("{tests}", "tests/test_signal.py"), gold_patch="")
    with (
        runner.workshop(row, options, {}, overlay) as sandbox,
        pytest.raises(Broken, match="interrupted"),
    ):
        commands.run(sandbox, row)


def test_tests_that_cannot_be_collected_are_no_interrupt(
    mined: Instance, options: SandboxOptions
) -> None:
    overlay = {"tests/test_signal.py": "import nothing_of_that_name\n"}
    with runner.workshop(mined, options, {}, overlay) as sandbox:
        run = runner.run(sandbox, mined, ["tests/test_signal.py"])
    assert (run.status, run.report.ended) == (2, 2)
    assert "nothing_of_that_name" in run.error("tests/test_signal.py::test_it")


@pytest.mark.slow
def test_a_fix_whose_every_run_is_killed_has_no_score(
    mined: Instance, options: SandboxOptions
) -> None:
    with killing(PROCESS, 1000) as hit:
        grade = Grader(options).grade(mined, changed(fixed_source(mined).decode()))
    assert len(hit) > 2
    assert (grade.outcome, grade.reward) == (Outcome.INFRA_ERROR, None)


@pytest.mark.slow
def test_the_run_of_a_command_that_was_killed_is_graded_again(
    mined: Instance, options: SandboxOptions
) -> None:
    row = logged(mined, f"sleep 1; exec {PYTEST}", gold_patch="")
    fix = changed(fixed_source(mined).decode())
    with killing("sleep 1; exec", 1) as hit:
        grade = Grader(options).grade(row, fix)
    assert len(hit) == 1
    assert (grade.outcome, grade.reward) == (Outcome.COMPLETED, 1.0), grade.reason


NAME = "t.py::test_a"


@pytest.mark.parametrize(
    ("ended", "status", "what"),
    [(0, 143, "ended with 143"), (0, 1, "ended with 1"), (2, 0, "to have ended with 2")],
)
def test_a_claim_that_the_exit_status_contradicts_is_a_broken_run(
    ended: int, status: int, what: str
) -> None:
    run = Run(Report({NAME: Result("passed")}, {}, ended), status, "")
    with pytest.raises(Broken, match=what):
        run.passed(NAME)


def test_a_failure_needs_no_second_witness() -> None:
    assert not Run(Report({NAME: Result("failed", "boom")}, {}, 1), 1, "").passed(NAME)
    assert not Run(Report({}, {}, 0), 0, "").passed(NAME)
    assert Run(Report({NAME: Result("passed")}, {}, 0), 0, "").passed(NAME)
