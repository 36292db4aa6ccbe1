"""L4: training until enough policies count, pairing, sizing, and what each row says."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hub.errors import DeclarationError, MissingDependency
from hub.fidelity import patched
from hub.fidelity.equivalence import paired_tost
from hub.fidelity.evaluation import episode_returns, reference_lanes
from hub.fidelity.power import Sizes, Spread
from hub.fidelity.trainers import find_trainer
from hub.fidelity.training import call_of
from hub.fidelity.transfer import Trainers, run_own_policy, run_transfer, statement
from tests import need

need.module("scipy")


@pytest.fixture
def trainer(strip: ModuleType) -> Any:
    return importlib.import_module("toystrip.trainer").TRAINER


def both(trainer: Any) -> Trainers:
    return {"engine": trainer, "reference": trainer}


def test_a_faithful_engine_transfers_both_ways(
    strip: ModuleType, trainer: Any, tmp_path: Path
) -> None:
    report = run_transfer(strip.DECLARATION, strip.DECLARATION.transfer, both(trainer), tmp_path)
    assert report.passed
    assert report.plan == strip.DECLARATION.transfer
    for arm in report.arms:
        assert arm.statement.startswith("equivalent")
        assert len(arm.policies) >= 10
        assert arm.sizes.enough
        # Common random numbers and an exact engine: the same episodes on both sides.
        assert arm.paired.difference == 0
        assert arm.paired.p < 1e-9 < arm.welch.p < 0.05
        assert len(arm.policies[0].curve) == 3


def test_an_engine_that_pays_otherwise_does_not_transfer(
    strip: ModuleType, trainer: Any, tmp_path: Path
) -> None:
    with patched("toystrip.engine:GOAL", 1.5):
        report = run_transfer(
            strip.DECLARATION, strip.DECLARATION.transfer, both(trainer), tmp_path
        )
    assert not report.passed
    assert all(arm.paired.verdict == "different" for arm in report.arms)
    assert "different by more than the margin: difference 0.5" in report.arms[0].statement


def test_policies_below_the_declared_return_do_not_count(
    strip: ModuleType, trainer: Any, tmp_path: Path
) -> None:
    plan = replace(strip.DECLARATION.transfer, return_threshold=5.0)
    report = run_transfer(strip.DECLARATION, plan, both(trainer), tmp_path)
    assert not report.passed
    assert report.arms[0].statement.startswith("cannot pass: only 0 of 20 trained policies")
    assert report.arms[0].paired is None


def test_trained_policies_are_kept_and_used_again(
    strip: ModuleType, trainer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_transfer(strip.DECLARATION, strip.DECLARATION.transfer, both(trainer), tmp_path)

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(type(trainer), "train", refuse)
    assert (
        run_transfer(strip.DECLARATION, strip.DECLARATION.transfer, both(trainer), tmp_path)
        == first
    )
    other = replace(strip.DECLARATION.transfer, budget=20)
    with pytest.raises(AssertionError, match="trained again"):
        run_transfer(strip.DECLARATION, other, both(trainer), tmp_path)


def test_each_arm_has_its_trainer_and_its_environments_options(strip: ModuleType) -> None:
    plan = replace(
        strip.DECLARATION.transfer,
        trainer_options={"lanes": 8},
        reference_trainer="slow",
        engine_options={"dtype": "float32"},
    )
    engine, reference = (call_of(arm, 3, plan) for arm in ("engine", "reference"))
    assert engine == {
        "trainer": "toy",
        "env_id": "hub:toystrip/Strip-v0",
        "seed": 3,
        "budget": 10,
        "options": {"lanes": 8, "env_options": {"dtype": "float32"}},
    }
    assert (reference["trainer"], reference["options"]) == ("slow", {"lanes": 8})
    assert call_of("reference", 3, strip.DECLARATION.transfer)["trainer"] == "toy"


def test_evaluation_plays_with_the_plans_options(
    strip: ModuleType, trainer: Any, tmp_path: Path
) -> None:
    made: list[tuple[str, dict[str, Any]]] = []

    def engine(num_envs: int, **options: Any) -> Any:
        made.append(("engine", options))
        return strip.DECLARATION.engine(num_envs)

    def reference(**options: Any) -> Any:
        made.append(("reference", options))
        return strip.DECLARATION.reference.make()

    declaration = replace(
        strip.DECLARATION,
        engine=engine,
        reference=replace(strip.DECLARATION.reference, make=reference),
    )
    plan = replace(strip.DECLARATION.transfer, engine_options={"a": 1}, reference_options={"b": 2})
    assert run_transfer(declaration, plan, both(trainer), tmp_path).passed
    assert dict(made) == {
        "engine": {"a": 1},
        "reference": {"b": 2},
    }


def test_a_policy_of_ones_own_is_tested_over_episodes(
    strip: ModuleType, trainer: Any, tmp_path: Path
) -> None:
    policy = tmp_path / "mine.json"
    policy.write_text('{"dither": 0.1}')
    report = run_own_policy(strip.DECLARATION, strip.DECLARATION.transfer, trainer, policy)
    assert report.equivalent
    assert report.test.sizes == (report.episodes, report.episodes)
    with patched("toystrip.engine:GOAL", 1.5):
        report = run_own_policy(strip.DECLARATION, strip.DECLARATION.transfer, trainer, policy)
    assert not report.equivalent


def test_returns_do_not_depend_on_the_number_of_lanes(strip: ModuleType) -> None:
    def right(observations: Any, starts: Any) -> Any:
        return np.full(len(observations), 2)

    returns = []
    for lanes in (1, 3, 8):
        env = reference_lanes(strip.DECLARATION, lanes)
        returns.append(episode_returns(env, right, range(50, 70), 60))
        env.close()
    np.testing.assert_array_equal(returns[0], returns[1])
    np.testing.assert_array_equal(returns[0], returns[2])
    assert returns[0].shape == (20,)


def test_a_policy_is_told_where_episodes_start(strip: ModuleType) -> None:
    seen: list[Any] = []

    def right(observations: Any, starts: Any) -> Any:
        seen.append(starts.copy())
        return np.full(len(observations), 2)

    env = reference_lanes(strip.DECLARATION, 2)
    episode_returns(env, right, range(6), 60)
    env.close()
    assert seen[0].all()
    assert sum(starts.sum() for starts in seen) >= 6
    assert not all(starts.any() for starts in seen)


@pytest.mark.parametrize(
    ("differences", "enough", "words"),
    [
        ([-107.0, 300.0, -500.0, -200.0], True, "cannot pass: the observed difference is outside"),
        ([60.0, -60.0, 110.0, -100.0], False, "cannot pass reliably: even 12 policies"),
        ([60.0, -60.0, 110.0, -100.0], True, "not shown, which is no evidence either way"),
        ([1.0, -1.0, 2.0, 0.0], True, "equivalent"),
    ],
)
def test_a_row_says_what_it_shows(differences: list[float], enough: bool, words: str) -> None:
    test = paired_tost(differences, np.zeros(4), margin=100.0)
    sizes = Sizes(12, 50, 0.4, enough, Spread(1.0, 1.0))
    assert statement(test, sizes).startswith(words)


def test_a_missing_trainer_names_the_fix() -> None:
    with pytest.raises(MissingDependency, match=r"no trainer 'nobody'.*pip install torch"):
        find_trainer("nobody")


def test_fewer_than_ten_policies_an_arm_are_refused(strip: ModuleType) -> None:
    with pytest.raises(DeclarationError, match=r"policies is 9; expected at least 10"):
        replace(strip.DECLARATION.transfer, policies=9)
