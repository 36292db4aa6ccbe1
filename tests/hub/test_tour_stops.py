from __future__ import annotations

import pytest

import hub
from hub.registry import EnvCard
from hub.tour import Solved, Stop, tour
from tests import need

CARDS = hub.PLUGINS.registry


def test_an_absent_environment_is_listed_with_the_fix_and_not_run() -> None:
    gone = hub.Requirement("distribution", "gymhub-no-such", "pip install ./native/gone")
    card = EnvCard("native/Gone-v0", "Gone.", "native", "c", "gone:Env", requires=(gone,))
    (stop,) = tour([card])
    assert (stop.available, stop.fix) == (False, "pip install ./native/gone")
    assert stop.good


@pytest.mark.slow
def test_a_fast_environment_is_checked_and_measured() -> None:
    need.module("hub_pong")
    told, rules = list[str](), list[str]()
    (stop,) = tour([CARDS.card("hub:native/Pong-v0")], told.append, rules.append)
    assert (stop.check, stop.findings, stop.solved) == ("pass", (), None)
    assert (stop.steps_per_second or 0) > 1e5
    assert (stop.lanes or 0) > 1
    assert stop.ratio
    assert stop.reference
    assert told == [
        "checking hub:native/Pong-v0 (1 of 1), up to 45 s",
        "measuring hub:native/Pong-v0 (1 of 1)",
    ]
    assert rules[0].startswith(f"{told[0]}: ")
    assert len(rules) == len(set(rules)) > 30


@pytest.mark.slow
def test_a_task_is_solved_by_its_oracle_in_a_sandbox() -> None:
    card = CARDS.card("hub:agent/Code-v0")
    if card.missing():
        need.missing(card.reason())
    (stop,) = tour([card])
    assert stop.good, stop
    assert stop.solved
    assert stop.solved.reward == 1.0
    assert stop.to_json()["solved"]["task"] == stop.solved.task


@pytest.mark.parametrize("reward", [0.0, None])
def test_a_task_that_its_oracle_does_not_solve_is_a_finding(reward: float | None) -> None:
    unsolved = Solved("task", reward, "why", 1.0)
    assert not Stop("hub:agent/X-v0", "python", True, check="pass", solved=unsolved).good


def test_a_task_that_cannot_be_fetched_is_no_finding() -> None:
    absent = Solved("task", None, "no network", 1.0, tried=False)
    assert Stop("hub:agent/X-v0", "python", True, check="pass", solved=absent).good
