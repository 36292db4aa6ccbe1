"""Reading what a run of pytest claims."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hub_agents.swe.report import Result, parse


def lines(*said: dict[str, object]) -> str:
    return "".join(json.dumps(line) + "\n" for line in said)


def phase(name: str, when: str, outcome: str, **more: object) -> dict[str, object]:
    return {"id": name, "when": when, "outcome": outcome, **more}


def test_a_test_passes_when_all_its_phases_do() -> None:
    text = lines(
        *(phase("a", when, "passed") for when in ("setup", "call", "teardown")),
        phase("b", "setup", "failed", error="boom"),
        phase("c", "call", "passed"),
        phase("c", "teardown", "failed", error="late"),
        phase("d", "setup", "skipped"),
        phase("e", "call", "failed", error="AssertionError: x"),
        phase("f", "call", "passed", xfail=True),
        phase("g", "call", "skipped", xfail=True),
        phase("h", "setup", "passed"),
        {"end": 1},
    )
    found = parse(text)
    outcomes = {name: result.outcome for name, result in found.results.items()}
    assert outcomes == {
        "a": "passed", "b": "error", "c": "error", "d": "skipped", "e": "failed", "f": "failed",
        "g": "skipped",
    }  # fmt: skip
    assert found.results["e"].asserted
    assert not found.results["f"].asserted
    assert found.ended == 1


def test_a_pass_that_is_said_twice_covers_no_failure() -> None:
    failed, passed = phase("a", "call", "failed"), phase("a", "call", "passed")
    for text in (lines(failed, passed), lines(passed, failed)):
        assert parse(text).results == {"a": Result("failed")}


def test_without_an_end_the_run_broke_off() -> None:
    assert parse(lines(phase("a", "call", "passed"))).ended is None
    assert parse('{"end": true}\n{"end": "0"}\n').ended is None


def test_what_cannot_be_collected_is_told() -> None:
    found = parse(lines(phase("tests/x.py", "collect", "failed", error="No module named 'y'")))
    assert found.uncollected == {"tests/x.py": "No module named 'y'"}
    assert found.results == {}


@given(st.text(max_size=200) | st.recursive(st.none() | st.booleans() | st.text(max_size=3),
       lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "when", "outcome"]),
       inner), max_leaves=5).map(json.dumps))  # fmt: skip
def test_anything_can_be_read(text: str) -> None:
    assert all(
        r.outcome in ("passed", "failed", "error", "skipped") for r in parse(text).results.values()
    )
