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


def cpu(checker: Checker) -> float:
    """Seconds of CPU of this process and all the checker's, ended ones and forks included."""
    total = sum(os.times()[:4])
    for worker in checker._idle.queue:
        if worker._process is not None:
            fields = Path(f"/proc/{worker._process.pid}/stat").read_text().rpartition(")")[2]
            total += sum(map(int, fields.split()[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


TOWERS = ["9^{9^{9^{9}}}", "9**9**9**9", "9^{9^{9}}", "((9^{99999})^{99999})^{99999}"]
FACTORIALS = ["(10^{10})!", "99999!", "((9!)!)!", "\\frac{(10^{9})!}{(10^{9}-1)!}", "9999!^{9999}"]
COMPUTED = [
    "\\int_0^1 x^{x^x}dx",
    "\\sum_{n=1}^{99999} \\frac{1}{n^{n}}",
    "\\prod_{n=1}^{99999} (n+x)^{n}",
    "(x+y+z+1)^{999}",
]
MATRIX = "\\\\".join("&".join(f"x^{{{i}}}+{j}" for j in range(20)) for i in range(20))
DEEP = [
    "(" * 400 + "x" + ")" * 400,
    "\\sqrt{2+" * 60 + "2" + "}" * 60,
    "\\det\\begin{pmatrix}" + MATRIX + "\\end{pmatrix}",
]
LONG = ["(x+1)" * 200_000, "7" * (1 << 20)]


def check_in_time(checker: Checker, answer: str) -> None:
    assert checker.check("4", "4").equal  # a process is there
    before, began = cpu(checker), time.monotonic()
    found = checker.check("4", tidy(answer))
    took, cost = time.monotonic() - began, cpu(checker) - before
    assert found.equal is False or found.by_answer, found
    assert cost < 2.0
    assert took < checking.WALL_SECONDS  # of a machine that others load


@pytest.mark.parametrize("answer", [*TOWERS[:2], *FACTORIALS[:3], DEEP[0], *LONG])
def test_a_whole_verdict_on_a_pathological_answer_costs_two_seconds(
    checker: Checker, answer: str
) -> None:
    check_in_time(checker, answer)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [*TOWERS[2:], *FACTORIALS[3:], *COMPUTED, *DEEP[1:]])
def test_one_that_has_to_be_computed_costs_two_seconds_too(checker: Checker, answer: str) -> None:
    check_in_time(checker, answer)


def test_an_answer_that_breaks_the_checker_is_the_agents_failure_after_controls(
    checker: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = checker._idle.queue[-1]
    assert worker.check("4", "4")
    process = worker._process
    monkeypatch.setattr(checking, "CPU_SECONDS", 0.3)
    found = checker.check("4", "9^{99999 \\cdot 9999}")
    assert (found.equal, found.by_answer) == (None, True), found.reason
    assert "the answer breaks the checker" in found.reason
    assert worker._process is process  # only a fork was ended
    assert process is not None
    assert process.poll() is None


def test_an_immense_answer_is_checked_where_the_gold_answer_is_as_large(checker: Checker) -> None:
    assert checker.check("3!!!", "4").equal is False
    assert "factorial" in checker.check("4", "3!!!").reason
    assert "factorial" not in checker.check("3!!!", "3!!!").reason


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
