"""Verdicts on changes: forged runs, broken runs and whose fault they are."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from hub.dialogue import SandboxOptions
from hub.errors import SandboxError
from hub.sandbox import Sandbox
from hub.trajectory import Outcome
from hub_agents.swe import grading, runner
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.grading import Grader, Tally, rounds
from hub_agents.swe.instance import Instance
from hub_agents.swe.trees import File
from tests.plugins.hub_agents.swe.test_instance import INSTANCE

SOURCE = "def test_a(): assert 1 == 1\ndef test_b(): assert 2 == 2\ndef test_c(): assert 3 == 3\n"


def instance(*decoys: Decoy) -> Instance:
    names = [f"t.py::test_{letter}" for letter in "abc"]
    return replace(
        INSTANCE,
        fail_to_pass=tuple(names[:2]),
        pass_to_pass=tuple(names[2:]),
        tests={"t.py": SOURCE},
        decoys=tuple(d.to_json() for d in decoys),
        log_parser="hub_report",
    )


def decoy(letter: str, text: str, says: str = "wrong", shown: str = "") -> Decoy:
    at = SOURCE.index(f"test_{letter}(): assert ") + len("test_a(): assert ")
    name = f"t.py::test_{letter}"
    return Decoy(name, "t.py", ((at, at + 6, text),), "value", says, ((name, shown or name),))


def forms(letter: str, shown: str = "") -> list[Decoy]:
    made = {"right": "1 == 1", "not wrong": "1 != 2", "wrong": "1 == 2", "not right": "1 != 1"}
    return [decoy(letter, text, says, shown) for says, text in made.items()]


def test_no_sandbox_holds_two_forms_of_a_test_and_each_form_has_its_turn() -> None:
    found = rounds(instance(*forms("a"), *forms("b", "t.py::test_b[2]"), *forms("c")))
    apart = [one for one in found if one.apart]
    together = [one for one in found if not one.apart]
    assert len(apart) == 4
    assert len(together) == 2
    for name in ("t.py::test_a", "t.py::test_b"):
        assert sum(name in one.real for one in apart) == 2
        assert sum(name in one.false for one in apart) == 2
        assert sum(name in one.asked for one in apart) == 1
    assert not any(set(one.real) & set(one.false) for one in found)
    assert {one.name("t.py::test_b") for one in apart} == {"t.py::test_b[2]"}
    assert sorted((one.real, one.false) for one in together) == [
        ((), ("t.py::test_c",)),
        (("t.py::test_c",), ()),
    ]
    texts = " ".join(one.overlay["t.py"] for one in apart)
    assert all(text in texts for text in ("1 == 2", "1 != 1", "1 != 2"))


def test_the_turns_of_the_forms_hang_on_the_fix() -> None:
    made = instance(*forms("a"), *forms("b"))
    orders = {
        tuple(d.overlay["t.py"] for d in rounds(replace(made, gold_patch=str(n))))
        for n in range(20)
    }
    assert len(orders) > 1


def test_without_decoys_every_test_runs_once() -> None:
    found = rounds(instance())
    assert [(one.real, one.false, one.apart) for one in found] == [
        (("t.py::test_a", "t.py::test_b"), (), True),
        (("t.py::test_c",), (), False),
    ]


def test_a_decoy_that_passes_beside_its_test_is_forged_and_alone_is_a_wrong_fix() -> None:
    names = set(instance().fail_to_pass + instance().pass_to_pass)
    forged = grading._grade(instance(), Tally(passed=names, forged={"t.py::test_a"}))
    assert (forged.reward, forged.parts["forged"]) == (0.0, 1.0)
    assert forged.reason.startswith("forged: t.py::test_a")
    wrong = Tally(passed=names, failed={"t.py::test_a": "boom"}, forged={"t.py::test_a"})
    assert grading._grade(instance(), wrong).parts["forged"] == 0.0
    assert grading._grade(instance(), Tally(passed=names)).reward == 1.0
    assert grading._grade(instance(), Tally(passed=names - {"t.py::test_c"})).reward == 0.0


def changed(text: str) -> dict[str, File | None]:
    return {"spans.py": File(text.encode())}


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    ["import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "import time; time.sleep(1000)"],
    ids=["dies", "hangs"],
)
def test_changes_that_break_their_run_are_the_agents_failure(
    mined: Instance, options: SandboxOptions, code: str
) -> None:
    short = replace(mined, seconds=15.0)
    grade = Grader(options).grade(short, changed(code))
    assert grade.outcome is Outcome.AGENT_ERROR
    assert grade.reason.startswith("the changes broke their run: ")


DAEMON = """
import os, pathlib, time
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        pathlib.Path("tests/test_spans.py").write_text("")
        pathlib.Path("/tmp/daemon").touch()
        time.sleep(0.001)
while not pathlib.Path("/tmp/daemon").exists():
    time.sleep(0.01)
pathlib.Path("/tmp/daemon").unlink()
"""


def test_what_a_run_leaves_behind_does_not_reach_the_next(
    mined: Instance, options: SandboxOptions
) -> None:
    overlay = mined.tests
    with runner.workshop(mined, options, changed(DAEMON), overlay, 3) as sandbox:
        runner.run(sandbox, mined, ["tests/test_spans.py"])
        assert sandbox.read("/workspace/repo/tests/test_spans.py") == b""
        runner.renew(sandbox, mined, overlay)
        time.sleep(0.2)
        assert sandbox.read("/workspace/repo/tests/test_spans.py").decode() in overlay.values()


@pytest.mark.slow
def test_what_breaks_the_controls_too_is_ours(mined: Instance, options: SandboxOptions) -> None:
    hopeless = replace(mined, seconds=0.02)
    grade = Grader(options).grade(hopeless, {})
    assert grade.outcome is Outcome.INFRA_ERROR
    assert "the control failed too" in grade.reason


def test_a_sandbox_that_is_killed_from_outside_is_no_score(
    mined: Instance, options: SandboxOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = runner.run

    def killed(sandbox: Sandbox, *rest: Any) -> runner.Run:
        sandbox.kill()
        return real(sandbox, *rest)

    monkeypatch.setattr(runner, "run", killed)
    with pytest.raises(SandboxError) as caught:
        Grader(options).grade(mined, {})
    assert caught.value.attribution == "infra"


def logged(mined: Instance, command: str, **more: Any) -> Instance:
    """Return an instance like a dataset's row: its own command, a log, no decoys."""
    return replace(mined, decoys=(), test_command=command, log_parser="pytest", **more)


PYTEST = "python3 -m pytest -rA -p no:cacheprovider {tests}"


@pytest.mark.slow
def test_a_row_of_a_dataset_is_graded_by_its_log(mined: Instance, options: SandboxOptions) -> None:
    row = logged(mined, PYTEST, setup=("echo ready > /tmp/ready",))
    grader = Grader(options)
    assert grader.grade(row, {}).reward == 0.0
    fix = {"spans.py": File(fixed_source(mined))}
    grade = grader.grade(row, fix)
    assert (grade.reward, grade.parts) == (1.0, {"fixed": 1.0, "forged": 0.0})
    silent = replace(row, test_command="true")
    assert grader.grade(silent, fix).outcome is Outcome.INFRA_ERROR
    lying = replace(row, test_command=f"{PYTEST} | grep -v FAILED; exit 3")
    told = grader.grade(lying, fix)
    assert (told.outcome, told.reward) == (Outcome.INFRA_ERROR, None)  # the control lies as well
    assert "reports no failure" in told.reason
    unready = grader.grade(replace(row, setup=("false",)), fix)
    assert unready.outcome is Outcome.INFRA_ERROR
    assert "setup 'false' ended with 1" in unready.reason


def fixed_source(mined: Instance) -> bytes:
    from hub_agents.swe import releases

    both = releases.pair("hub-spans", "1.0", "1.1")
    return both.after["spans.py"].data
