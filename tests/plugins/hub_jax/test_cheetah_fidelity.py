"""L1 to L3 of the cheetah against MuJoCo, through what `hub verify` runs."""

from collections import Counter

import numpy as np
import pytest

from hub.fidelity.checks import run_check
from hub.fidelity.forced import run_forced
from tests import need

need.module("mujoco")

from hub_jax.cheetah import fidelity, gait, oracle, probe, sampling  # noqa: E402  # needs mujoco

DECLARATION = fidelity.DECLARATION
SEED = 20


@pytest.mark.parametrize("check", DECLARATION.components, ids=lambda check: check.name)
def test_each_component_equals_mujocos_on_thousands_of_states(check):
    report = run_check(check, SEED)
    assert report.cases >= 2000
    assert report.passed, report.detail


@pytest.mark.parametrize("check", DECLARATION.interactions, ids=lambda check: check.name)
def test_accelerations_equal_mujocos(check):
    report = run_check(check, SEED)
    assert report.passed, report.detail


def test_the_states_of_each_kind_are_of_that_kind():
    touching, limited, tilted = {}, {}, {}
    for kind in ("airborne", "limits", "on its feet", "on its back", "lying"):
        states = sampling.of_kind(kind, 200, SEED)
        found = oracle.components(states)
        touching[kind] = (~np.isnan(found["dist"])).sum(axis=1)
        limited[kind] = (~np.isnan(found["limit_dist"])).sum(axis=1)
        tilted[kind] = np.cos(states.qpos[:, 2])
    assert not touching["airborne"].any()
    assert not limited["airborne"].any()
    assert not touching["limits"].any()
    assert limited["limits"].mean() > 3
    for kind in ("on its feet", "on its back", "lying"):
        assert touching[kind].min() >= 1
    assert tilted["on its back"].max() < 0 < tilted["on its feet"].min()


def test_single_and_free_steps_equal_mujocos_on_ten_thousand_states():
    report = run_forced(DECLARATION, DECLARATION.rollouts)
    assert report.states >= 10_000
    assert report.max_error <= 1e-6, report.worst
    assert report.free_steps == 5
    assert report.free_max_error <= 1e-6, report.free_worst


def test_the_gait_runs_forward_in_the_reference():
    env, speeds = oracle.make_reference(), []
    for seed in range(5):
        env.reset(seed=seed)
        act = gait.controller(0.05)
        speeds.append(np.mean([env.step(act(None))[4]["x_velocity"] for _ in range(200)]))
    env.close()
    assert np.median(speeds) > 1.5, "m/s"


def test_there_are_thirty_mutants_of_every_kind():
    kinds = Counter(mutant.kind for mutant in DECLARATION.mutants)
    assert sum(kinds.values()) >= 30
    assert set(kinds) == {
        *("constant", "sign", "order", "missing case", "off-by-one", "lost randomness")
    }


@pytest.mark.parametrize(("name", "check"), [("gravity", "bias"), ("limit-sign", "limit_sign")])
def test_a_mutant_is_caught_while_it_lives_and_gone_afterwards(name, check):
    mutant = next(m for m in DECLARATION.mutants if m.name == name)
    with mutant.inject():
        assert fidelity.check_component(check, 50, SEED).max_error > 1e-4
    assert fidelity.check_component(check, 50, SEED).max_error < 1e-9


def test_the_probe_leaves_the_process_in_single_precision():
    import jax

    probe.components(sampling.anywhere(2, SEED))
    assert not jax.config.jax_enable_x64
