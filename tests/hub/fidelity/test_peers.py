"""L3 beside further implementations: equal ones, one that differs, one that is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import DeclarationError
from hub.fidelity import Declaration, Exact, Peer, Run, patched, replay, verify
from hub.fidelity.certificate import read_certificate
from hub.fidelity.ladder import level_reached, run_ladder
from hub.fidelity.peers import against, run_peers, terms
from hub.fidelity.report import what
from hub.fidelity.steps import Near, equal
from hub.registry import EnvCard
from tests import need

need.module("scipy")

SMALL = 0.05  # of the thousand episodes

Alter = Callable[[int, tuple[Any, ...]], tuple[Any, ...]]


def beside(strip: ModuleType, alter: Alter | None = None, **changes: Any) -> Declaration:
    """The strip's declaration with one peer: its reference, whose steps `alter` may change."""
    plain = strip.DECLARATION.reference.make

    class Altered(plain):  # type: ignore[misc, valid-type]
        def reset(self, **keywords: Any) -> tuple[Any, dict[str, Any]]:
            self.time = 0
            return super().reset(**keywords)  # type: ignore[no-any-return]

        def step(self, action: Any) -> tuple[Any, ...]:
            self.time += 1
            outcome = super().step(action)
            return alter(self.time, outcome) if alter else outcome

    peer = Peer(
        **{
            "name": "other strip",
            "make": Altered,
            "summary": "the same walk by others",
            "rollouts": Exact(max_steps=60),
            "distributions": {"numpy": "2.4.6", "no-such-strip": "1"},
            **changes,
        }
    )
    return replace(strip.DECLARATION, peers=(peer,))


def absent(**options: Any) -> gymnasium.Env[Any, Any]:
    raise ImportError("no module of the others' strip")


def not_installed(**options: Any) -> gymnasium.Env[Any, Any]:
    raise DependencyNotInstalled("pip install strip")


def test_an_equal_peer_takes_part_with_its_versions(strip: ModuleType) -> None:
    (report,) = run_peers(beside(strip), SMALL)
    assert (report.state, report.detail) == ("passed", "")
    assert report.versions == {"numpy": np.__version__}
    assert report.rollouts is not None
    assert report.rollouts.episodes == 50
    assert (report.rollouts.tolerance, report.rollouts.max_error) == (0, 0)


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (0, np.array([0.5, 0.5], np.float32), "observation[0]"),
        (1, 7.0, "reward"),
        (2, True, "terminated"),
        (3, True, "truncated"),
    ],
)
def test_a_peer_that_differs_fails_the_level_with_step_and_field(
    strip: ModuleType, place: int, value: Any, field: str
) -> None:
    def third(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*outcome[:place], value, *outcome[place + 1 :]) if time == 3 else outcome

    declaration = beside(strip, third)
    report = run_ladder(declaration, Run(level=3, sample=SMALL))[2]
    assert report.state == "failed"
    assert report.rollouts.passed
    (peer,) = report.peers
    gap = peer.rollouts.difference
    assert (peer.state, gap.step, gap.field) == ("failed", 3, field)
    assert report.detail == f"beside other strip: {peer.detail}"
    assert f"step 3: {field} is" in peer.detail
    assert ", it has " in peer.detail
    played = against(declaration, declaration.peers[0])
    again = replay(played, gap.seed, gap.actions, terms=terms(declaration.peers[0]))
    assert (again.step, again.field, again.actual) == (3, field, gap.actual)


@pytest.mark.parametrize("make", [absent, not_installed])
def test_a_peer_that_cannot_be_made_is_skipped_with_the_reason(
    strip: ModuleType, make: Callable[..., Any]
) -> None:
    reports = run_ladder(beside(strip, make=make), Run(level=3, sample=SMALL))
    assert level_reached(reports) == 3
    (peer,) = reports[2].peers
    assert (peer.state, peer.rollouts) == ("skipped", None)
    assert peer.detail in ("no module of the others' strip", "pip install strip")


def test_a_peer_that_breaks_while_it_plays_fails_the_level(strip: ModuleType) -> None:
    def broken(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        raise ZeroDivisionError("by nothing")

    report = run_ladder(beside(strip, broken), Run(level=3, sample=SMALL))[2]
    assert (report.state, report.detail) == ("failed", "ZeroDivisionError: by nothing")


def test_a_wrong_engine_is_caught_by_a_peer_alone(strip: ModuleType) -> None:
    declaration = beside(strip)
    with patched("toystrip.engine:ICE", 7):
        (report,) = run_peers(declaration, 1.0)
    assert report.state == "failed"


def off(error: float) -> Alter:
    def alter(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        return (outcome[0] + np.float32(error), *outcome[1:])

    return alter


def test_a_peer_may_round_observations_otherwise_and_the_error_is_told(strip: ModuleType) -> None:
    (report,) = run_peers(beside(strip, off(1e-3), tolerance=2e-3), SMALL)
    assert report.state == "passed"
    assert report.rollouts is not None
    assert report.rollouts.tolerance == 2e-3
    assert report.rollouts.max_error == pytest.approx(1e-3, rel=1e-3)
    (report,) = run_peers(beside(strip, off(3e-3), tolerance=2e-3), SMALL)
    assert report.state == "failed"
    assert "observation[0]" in report.detail


def test_a_tolerance_is_not_for_rewards(strip: ModuleType) -> None:
    def alter(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        return (outcome[0], outcome[1] + 1e-3, *outcome[2:])

    (report,) = run_peers(beside(strip, alter, tolerance=2e-3), SMALL)
    assert "step 1: reward is" in report.detail


def test_rewards_in_float32_equal_the_engines_in_float64(strip: ModuleType) -> None:
    def alter(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        return (outcome[0], np.float32(outcome[1]), *outcome[2:])

    (report,) = run_peers(beside(strip, alter), SMALL)
    assert report.state == "passed"


@pytest.mark.parametrize("shown", [True, False])
def test_a_last_observation_that_is_not_shown_is_not_compared(
    strip: ModuleType, shown: bool
) -> None:
    def alter(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        last = outcome[2] or outcome[3]
        return (np.zeros(2, np.float32) if last else outcome[0], *outcome[1:])

    for lanes in (1, 16):
        plan = Exact(max_steps=60, lanes=lanes)
        declaration = beside(strip, alter, last_observation=shown, rollouts=plan)
        (report,) = run_peers(declaration, SMALL)
        assert report.state == ("failed" if shown else "passed")


def test_flags_of_a_last_step_are_compared_where_its_observation_is_not(strip: ModuleType) -> None:
    def alter(time: int, outcome: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*outcome[:3], outcome[2] or outcome[3], outcome[4])

    (report,) = run_peers(beside(strip, alter, last_observation=False), SMALL)
    assert "truncated is False, it has True" in report.detail


def test_the_report_says_who_took_part_and_who_did_not(strip: ModuleType) -> None:
    card = EnvCard(
        id="toystrip/Strip-v0",
        summary="A strip.",
        family="python",
        backend="python",
        entry_point="toystrip.engine:Strip",
        fidelity="toystrip.fidelity:DECLARATION",
    )
    equal_peer = beside(strip, off(0.0), tolerance=0.5, last_observation=False).peers[0]
    gone = replace(equal_peer, name="third strip", make=absent)
    with patched(
        "toystrip.fidelity:DECLARATION", replace(strip.DECLARATION, peers=(equal_peer, gone))
    ):
        found = verify(card, Run(level=3))
    assert isinstance(found.written, Path)
    level = read_certificate(found.written).levels["3"]
    first, second = level["peers"]
    assert (first["state"], first["versions"]) == ("passed", {"numpy": np.__version__})
    assert (second["state"], second["detail"]) == ("skipped", "no module of the others' strip")
    text = what(level)
    assert f"beside other strip {np.__version__}: 1,000 episodes" in text
    assert "observations within 0.5 (largest difference 0), the rest exactly" in text
    assert "it shows no observation of a last step" in text
    assert f"not beside third strip {np.__version__}: no module of the others' strip" in text
    json.dumps(level, allow_nan=False)


def test_two_peers_of_one_name_and_a_negative_tolerance_are_refused(strip: ModuleType) -> None:
    declaration = beside(strip)
    with pytest.raises(DeclarationError, match="more than one peer"):
        replace(declaration, peers=declaration.peers * 2)
    with pytest.raises(DeclarationError, match=r"Peer.tolerance is -1"):
        replace(declaration.peers[0], tolerance=-1)


FLOATS = st.floats(-1e6, 1e6, width=32)


@given(FLOATS, FLOATS, st.floats(0, 1e3))
def test_near_values_are_those_within_the_tolerance(a: float, b: float, tolerance: float) -> None:
    near = Near(tolerance)
    want, got = np.array([a, a], np.float32), np.array([a, b], np.float32)
    apart = abs(float(want[1]) - float(got[1]))
    assert near(want, got).tolist() == [True, apart <= tolerance]
    assert near.largest == (apart if apart <= tolerance else 0)


def test_nan_is_near_nan_alone_and_whole_numbers_are_never_near() -> None:
    near, nan = Near(1e9), np.array([np.nan])
    assert near(nan, nan).all()
    assert not near(nan, np.zeros(1)).any()
    assert not near(np.array([1]), np.array([2])).any()
    assert near.largest == 0
    assert not equal(np.array([np.inf]), np.zeros(1)).any()
