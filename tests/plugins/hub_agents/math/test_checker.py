"""Answers are compared in processes that can be killed; nothing hangs, nothing is executed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from hub_agents.math import checker as checking
from hub_agents.math.checker import Checker, Worker, WorkerLost
from hub_agents.math.forms import tidy
from tests import need

need.distribution("math-verify")


@pytest.fixture(scope="module")
def checker() -> Checker:
    return Checker(workers=2)


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("1/2", "0.5", True),
        ("x^2+2x+1", "(x+1)^2", True),
        ("\\{1,2,3\\}", "\\{3,2,1\\}", True),
        ("10\\%", "0.1", True),
        ("\\sqrt{8}", "2\\sqrt{2}", True),
        ("(1,2]", "(1,2]", True),
        ("-896*x**4 + 3584*x", "3584x-896x^4", True),
        ("4", "3", False),
        ("4", "", False),
        ("4", "\\text{four}", False),
    ],
)
def test_equal_answers_in_other_words_are_equal(
    checker: Checker, gold: str, answer: str, equal: bool
) -> None:
    assert checker.check(tidy(gold), tidy(answer)).equal is equal


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def waited() -> float:
    """Seconds of CPU of all children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.parametrize(
    "answer",
    [
        "9^{9^{9^{9}}}",
        "9**9**9**9",
        "(" * 400 + "x" + ")" * 400,
    ],
)
def test_a_pathological_answer_costs_two_seconds_of_cpu_and_never_scores(
    checker: Checker, answer: str
) -> None:
    worker = checker._idle.queue[-1]
    assert worker.check("4", "4")
    assert worker._process is not None
    pid, before, ended = worker._process.pid, cpu(worker._process.pid), waited()
    try:
        assert not worker.check("4", tidy(answer))
    except WorkerLost as lost:
        assert lost.by_answer  # noqa: PT017  # a wrong answer's being lost is allowed, not required
        cost = waited() - ended - before
    else:
        cost = cpu(pid) - before
    assert cost < 2.0
    worker.begin()


@pytest.mark.slow
def test_an_answer_that_breaks_the_checker_is_the_agents_failure_after_controls(
    checker: Checker,
) -> None:
    found = checker.check("4", "9^{9^{9^{9}}}")
    assert (found.equal, found.by_answer) == (None, True), found.reason
    assert "the answer breaks the checker" in found.reason
    assert checker.check("4", "4").equal


def test_python_in_an_answer_is_not_executed(checker: Checker, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    for answer in (f"__import__('os').mkdir('{mark}')", f"$__import__('os').mkdir('{mark}')$"):
        assert checker.check("4", tidy(answer)).equal is False
    assert not mark.exists()


def test_a_worker_that_was_killed_is_started_again(checker: Checker) -> None:
    worker = checker._idle.queue[-1]
    assert worker.check("4", "4")
    assert worker._process is not None
    os.kill(worker._process.pid, signal.SIGKILL)
    assert checker.check("4", "4").equal


def test_a_kill_by_the_machine_is_not_the_answers_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dying = tmp_path / "worker.py"
    ready = "import os; print('{\"ready\": true}', flush=True); input(); "
    dying.write_text(f"{ready}os.kill(os.getpid(), 9)")
    monkeypatch.setattr(checking, "_SCRIPT", dying)
    with pytest.raises(WorkerLost, match="status -9") as lost:
        Worker().check("4", "4")
    assert not lost.value.by_answer


def test_a_checker_that_fails_on_the_gold_answer_too_is_not_the_answers_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "worker.py"
    broken.write_text("print('{\"ready\": true}', flush=True)\ninput()\nraise SystemExit(3)\n")
    monkeypatch.setattr(checking, "_SCRIPT", broken)
    found = Checker(workers=1).check("4", "4")
    assert (found.equal, found.by_answer) == (None, False)
    assert "status 3; it fails on the gold answer too" in found.reason


def test_a_check_that_the_machine_does_not_run_in_time_is_lost_not_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slow = tmp_path / "worker.py"
    slow.write_text("import time\nprint('{\"ready\": true}', flush=True)\ntime.sleep(60)\n")
    monkeypatch.setattr(checking, "_SCRIPT", slow)
    monkeypatch.setattr(checking, "WALL_SECONDS", 0.3)
    began = time.monotonic()
    with pytest.raises(WorkerLost) as lost:
        Worker().check("4", "4")
    assert not lost.value.by_answer
    assert time.monotonic() - began < 20
