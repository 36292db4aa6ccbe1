from __future__ import annotations

from pathlib import Path

from tests.hub.cli.conftest import Run
from tests.hub.cli.test_replay import record

__all__ = ["record"]

LENIENT = "tests.hub.dialogue.test_replay:lenient"


def test_rescore_prints_old_and_new_and_exits_1_when_a_grade_changed(
    run: Run, record: Path
) -> None:
    ran = run("rescore", str(record), "--grader", LENIENT)
    assert ran.status == 1
    assert "1 of 2 grades changed" in ran.out
    data = run("rescore", str(record), "--grader", LENIENT, "--json", "-").json
    assert data["schema"] == "hub.rescore/1"
    assert [(e["old"], e["new"], e["changed"]) for e in data["episodes"]] == [
        (0.0, 0.0, False),
        (1.0, 0.5, True),
    ]
    assert data["episodes"][0]["note"] == "lenient"


def test_a_grader_that_fails_is_told_for_each_episode(run: Run, record: Path) -> None:
    ran = run("rescore", str(record), "--grader", "json:loads")
    assert ran.status == 1
    assert ran.out.count("TypeError: loads() takes 1 positional argument") == 2
    other = run("rescore", str(record), "--grader", "builtins:print")
    assert "the grader returned a NoneType" in other.out


def test_rescore_names_what_is_wrong_with_its_arguments(run: Run, record: Path) -> None:
    for arguments, message in (
        ((str(record),), "was not made by gymnasium.make"),
        ((str(record), "--grader", "nothing"), "expected module:function"),
        ((str(record), "--grader", "no.such:thing"), "cannot be loaded"),
        ((str(record.parent / "gone"),), "there is no such file"),
    ):
        ran = run("rescore", *arguments)
        assert (ran.status, message in ran.err) == (2, True), ran.err
