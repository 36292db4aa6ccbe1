"""The verdict comes from where the program cannot write; only solving the problem scores."""

from __future__ import annotations

import signal
import time
from dataclasses import replace

import pytest

from hub.dialogue import Grade, SandboxOptions, Task
from hub.errors import SandboxError
from hub.trajectory import Outcome
from hub_agents.code.grading import Grader
from hub_agents.code.sources import code_row
from tests.hub.sandbox.conftest import require
from tests.plugins.hub_agents.outside import killing

DOUBLE = code_row(
    {"prompt": "Double it.", "entry": "double", "seconds": 2,
     "cases": [{"args": [n], "expected": 2 * n} for n in (0, 3, -4)],
     "solution": "def double(n):\n    return 2 * n\n"}, "double row 1",
)  # fmt: skip
ECHO = code_row(
    {"prompt": "Square each number.", "seconds": 2, "solution": "print(int(input()) ** 2)",
     "cases": [{"stdin": f"{n}\n", "stdout": f"{n * n}\n"} for n in (1, 3, 12)]}, "square row 1",
)  # fmt: skip
ROOT = Task(
    "root", "Find a root.",
    {"kind": "asserts", "entry": "root", "preamble": "import math\n\n\n",
     "solution": "def root(n):\n    return math.sqrt(n)\n",
     "test": "def check(candidate):\n    import random\n    for _ in range(5):\n"
             "        n = random.randint(2, 9)\n"
             "        assert abs(candidate(n) ** 2 - n) < 1e-6\n"},
)  # fmt: skip
SLOW_TEST = (
    "def check(candidate):\n    import time\n    time.sleep(0.3)\n    assert candidate(4) == 2\n"
)


@pytest.fixture(scope="module")
def grader() -> Grader:
    return Grader(SandboxOptions(provider=require("bubblewrap")))


@pytest.mark.parametrize(
    ("task", "program"),
    [
        (DOUBLE, "def double(n):\n    print('noise')\n    return n + n"),
        (DOUBLE, "class Solution:\n    def double(self, n):\n        return n + n"),
        (ECHO, "import sys\nn = int(sys.stdin.readline())\nprint(n * n)"),
        (ROOT, "def root(n):\n    return -math.sqrt(n)"),
    ],
    ids=["function", "class", "stdio", "asserts"],
)
def test_another_right_program_scores(grader: Grader, task: Task, program: str) -> None:
    grade = grader.grade(task, program)
    assert (grade.reward, grade.parts["passed"]) == (1.0, 1.0), grade.reason


@pytest.mark.parametrize(
    ("task", "program", "passed", "why"),
    [
        (DOUBLE, "def double(n):\n    return abs(2 * n)", 2 / 3, "a wrong answer"),
        (DOUBLE, "def double(n):\n    while n: pass\n    return 0", 1 / 3, "longer than 2 s"),
        (DOUBLE, "def double(n): raise ValueError", 0.0, "gave no answer"),
        (DOUBLE, "def double(n): return 'x' * 10**7", 0.0, "at most 65536"),
        (DOUBLE, "x = = 1", 0.0, "not valid Python"),
        (ECHO, "print(int(input()) ** 2)\nraise SystemExit(1)", 0.0, "status 1"),
        (ROOT, "def root(n):\n    return n / 2", 0.0, "AssertionError"),
    ],
)
def test_a_wrong_program_scores_0_and_is_told_why(
    grader: Grader, task: Task, program: str, passed: float, why: str
) -> None:
    grade = grader.grade(task, program)
    assert (grade.reward, grade.parts["passed"]) == (0.0, pytest.approx(passed)), grade.reason
    assert why in grade.reason


def test_a_program_that_kills_its_driver_is_the_agents_failure(grader: Grader) -> None:
    grade = grader.grade(DOUBLE, "import os\nos.kill(-1, 9)")
    assert grade.outcome is Outcome.AGENT_ERROR, grade.reason


SLOW = "import time\ntime.sleep(0.3)\nprint(int(input()) ** 2)"


@pytest.mark.parametrize(
    "marker",
    ["/tmp/driver.py", "\0solution.py\0", "compile(open("],
    ids=["driver", "case", "compiler"],
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_was_killed_from_outside_is_graded_again(
    grader: Grader, marker: str, number: int
) -> None:
    with killing(marker, 1, number, age=0.1 if marker != "compile(open(" else 0.0) as hit:
        grade = grader.grade(ECHO, SLOW)
    assert len(hit) == 1
    assert (grade.outcome, grade.reward) == (Outcome.COMPLETED, 1.0), grade.reason


def test_what_is_killed_each_time_from_outside_has_no_score(grader: Grader) -> None:
    with killing("/tmp/driver.py", 1000):
        grade = grader.grade(ECHO, SLOW)
    assert (grade.outcome, grade.reward) == (Outcome.INFRA_ERROR, None)


@pytest.mark.parametrize("marker", ["def recording(", "def replaying("], ids=["recorder", "judge"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_tests_that_were_killed_from_outside_are_run_again(
    grader: Grader, marker: str, number: int
) -> None:
    task = replace(ROOT, id=f"{marker} {number}", data={**ROOT.data, "test": SLOW_TEST})
    with killing(marker, 1, number, age=0.15) as hit:
        grade = grader.grade(task, str(task.data["solution"]))
    assert len(hit) == 1
    assert (grade.outcome, grade.reward) == (Outcome.COMPLETED, 1.0), grade.reason


def test_a_program_that_kills_its_own_cases_fails(grader: Grader) -> None:
    grade = grader.grade(ECHO, "import os\nos.kill(os.getpid(), 9)")
    assert (grade.outcome, grade.reward) == (Outcome.COMPLETED, 0.0)
    assert "status -9" in grade.reason


def test_the_same_with_a_control_that_fails_too_is_ours() -> None:
    class Nowhere(Grader):
        def _judged(self, task: Task, program: str, again: bool = True) -> Grade:
            raise SandboxError("it is gone", attribution="unknown")

    grade = Nowhere(SandboxOptions()).grade(DOUBLE, "def double(n): return 2 * n")
    assert (grade.outcome, grade.reward) == (Outcome.INFRA_ERROR, None)
    assert "the control failed too" in grade.reason


def test_apptainer_grades_as_well() -> None:
    grader = Grader(SandboxOptions(provider=require("apptainer")))
    assert grader.grade(DOUBLE, str(DOUBLE.data["solution"])).reward == 1.0
    assert grader.grade(DOUBLE, "print('passed')").reward == 0.0


def test_a_whole_number_of_any_length_can_be_right(grader: Grader) -> None:
    power = Task(
        "power", "Return two to the power of n.",
        {"kind": "asserts", "entry": "power", "preamble": "",
         "solution": "def power(n):\n    return 2 ** n\n",
         "test": "def check(candidate):\n    for n in (3, 20000):\n"
                 "        assert candidate(n) == 2 ** n\n"
                 "    assert candidate(-candidate(20000) + candidate(20000)) == 1\n"},
    )  # fmt: skip
    assert grader.grade(power, "def power(n):\n    return 1 << n").reward == 1.0
    wrong = grader.grade(power, "def power(n):\n    return (1 << n) + (n > 9999)")
    assert (wrong.reward, wrong.parts["passed"]) == (0.0, 1 / 5)
    calls = replace(DOUBLE, data={**DOUBLE.data, "cases": [{"args": [0], "expected": 1 << 20000}]})
    assert grader.grade(calls, "def double(n): return 1 << 20000").reward == 1.0
    assert grader.grade(calls, "def double(n): return -(1 << 20000)").reward == 0.0


@pytest.mark.slow
def test_a_slow_program_is_graded_within_the_time_of_all_cases(grader: Grader) -> None:
    cases = [{"args": [n], "expected": 2 * n} for n in range(53)]
    task = replace(DOUBLE, data={**DOUBLE.data, "cases": cases, "seconds": 10.0})
    begin = time.monotonic()
    grade = grader.grade(task, "import time\ntime.sleep(8)\ndef double(n): return 2 * n")
    assert time.monotonic() - begin < 80.0
    assert grade.reward == 0.0
    assert grade.reason == (
        "7 of 53 tests passed. the program took longer than 60 s for all cases together"
    )
