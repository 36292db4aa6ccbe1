"""L3 for discrete rules: what is compared, and the difference that replays itself."""

from __future__ import annotations

import json
from dataclasses import replace
from types import ModuleType

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, Tuple
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from hub.errors import DeclarationError
from hub.fidelity import Exact, patched, policy_actions, random_actions, replay, saturated_actions
from hub.fidelity.certificate import json_values
from hub.fidelity.rollouts import run_exact


def exact(**changes: object) -> Exact:
    return Exact(**{"max_steps": 60, **changes})  # type: ignore[arg-type]


def test_the_first_difference_names_step_field_and_both_values(strip: ModuleType) -> None:
    with patched("toystrip.engine:LIMIT", 39):
        found = run_exact(strip.DECLARATION, exact(), sample=0.2).difference
    assert found is not None
    assert (found.step, found.field) == (39, "truncated")
    assert (found.expected, found.actual) == (False, True)
    assert len(found.actions) == 39
    assert found.seed == found.episode


def test_a_difference_replays_from_its_json(strip: ModuleType) -> None:
    with patched("toystrip.engine:ICE", 7):
        found = run_exact(strip.DECLARATION, exact()).difference
        kept = json.loads(json.dumps(json_values(found)))
        again = replay(strip.DECLARATION, kept["seed"], kept["actions"])
    assert again is not None
    assert (again.step, again.field) == (kept["step"], kept["field"])
    assert (again.expected, again.actual) == (kept["expected"], kept["actual"])
    assert replay(strip.DECLARATION, kept["seed"], kept["actions"]) is None


def test_a_difference_in_the_reset_observation_is_at_step_zero(strip: ModuleType) -> None:
    with patched("toystrip.engine:spawn", lambda seed, draws: (3, 9)):
        found = run_exact(strip.DECLARATION, exact()).difference
    assert found is not None
    assert found.step == 0
    assert found.field.startswith("observation[")


def test_every_variant_is_compared_and_a_difference_names_its_options(strip: ModuleType) -> None:
    def engine(num_envs: int, limit: int = 40) -> object:
        return strip.DECLARATION.engine(num_envs)

    def reference(limit: int = 40) -> gymnasium.Env:
        env = strip.DECLARATION.reference.make()
        return env if limit == 40 else gymnasium.wrappers.TimeLimit(env, limit)

    made = replace(strip.DECLARATION.reference, make=reference)
    declaration = replace(strip.DECLARATION, engine=engine, reference=made)
    same = run_exact(declaration, exact(variants=({}, {"limit": 40})), sample=0.02)
    assert same.passed
    assert same.variants == ({}, {"limit": 40})
    assert same.episodes >= 40
    found = run_exact(declaration, exact(variants=({}, {"limit": 3}, {"limit": 40})), sample=0.02)
    assert not found.passed
    assert found.variants == ({}, {"limit": 3})
    gap = found.difference
    assert gap is not None
    assert (gap.step, gap.field, gap.options) == (3, "truncated", {"limit": 3})
    again = replay(declaration, gap.seed, gap.actions, **gap.options)
    assert again is not None
    assert (again.step, again.field, again.options) == (3, "truncated", {"limit": 3})


def test_the_number_of_lanes_changes_nothing(strip: ModuleType) -> None:
    one = run_exact(strip.DECLARATION, exact(lanes=1), sample=0.05)
    many = run_exact(strip.DECLARATION, exact(lanes=13), sample=0.05)
    assert one.passed
    assert many.passed
    assert one.episodes == 50 <= many.episodes


def test_episodes_are_cut_at_the_plans_limit(strip: ModuleType) -> None:
    stay = policy_actions("stay", lambda: lambda observation: 1)
    report = run_exact(strip.DECLARATION, exact(max_steps=5, lanes=4, actions=(stay,)), sample=0.02)
    assert report.passed
    assert report.steps == report.episodes * 5


class Nested(gymnasium.Env):
    """Observations of every kind; `flaw` alters one deep value at the third step."""

    observation_space = Dict(
        {"place": Box(-1.0, 9.0, (2,), np.float64), "pair": Tuple((Discrete(9), Box(0, 9, (1,))))}
    )
    action_space = Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, flaw: float = 0.0) -> None:
        self.flaw = flaw

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self._observe(0.0), {}

    def step(self, action):
        self.time += 1
        return self._observe(float(action[0])), 0.5, self.time == 5, False, {}

    def _observe(self, value):
        late = self.flaw if self.time == 3 else 0.0
        pair = (self.time, np.array([self.time + late], np.float32))
        return {"place": np.array([value, 1.0]), "pair": pair}


@pytest.mark.parametrize("flaw", [0.0, 1e-3])
def test_nested_spaces_are_compared_value_by_value(strip: ModuleType, flaw: float) -> None:
    def engine(num_envs: int) -> SyncVectorEnv:
        makers = [lambda: Nested(flaw)] * num_envs
        return SyncVectorEnv(makers, autoreset_mode=AutoresetMode.DISABLED)

    reference = replace(strip.DECLARATION.reference, make=Nested)
    declaration = replace(strip.DECLARATION, engine=engine, reference=reference)
    plan = exact(actions=(random_actions(), saturated_actions()))
    report = run_exact(declaration, plan, sample=0.02)
    assert report.passed == (flaw == 0)
    if report.difference:
        assert report.difference.field == "observation.pair.1[0]"
        assert report.difference.step == 3


def test_too_small_a_plan_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Exact.episodes is 10; expected at least 1000"):
        exact(episodes=10)
    with pytest.raises(DeclarationError, match="at least one action source"):
        exact(actions=())
    with pytest.raises(DeclarationError, match=r"Exact.variants is \(\)"):
        exact(variants=())
