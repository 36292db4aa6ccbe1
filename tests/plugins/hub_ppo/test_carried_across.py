"""L4's path with the declared environments: a policy file acts on both sides of a translation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import hub
from hub.fidelity import find_trainer
from hub.fidelity.training import call_of
from hub.fidelity.transfer import ARMS, find_trainers, run_own_policy
from hub.fidelity.verifying import declaration_of
from hub_ppo import network, policy
from hub_ppo.settings import Settings
from hub_ppo.spaces import Interface
from tests import need

need.module("scipy")

PONGS = ("hub:native/Pong-v0", "hub:jax/Pong-v0")
CHEETAH = "hub:jax/HalfCheetah-v0"


def declared(env_id: str) -> Any:
    card = hub.PLUGINS.registry.card(env_id)
    if card.missing():
        need.missing(card.reason())
    if env_id == CHEETAH:
        need.module("mujoco")
    return declaration_of(card)


def untrained(env_id: str, path: Path) -> Path:
    env, settings = gymnasium.make(env_id), Settings()
    interface = Interface.of(env.observation_space, env.action_space)
    env.close()
    sizes = {"inputs": interface.inputs, "outputs": interface.outputs}
    weights = network.initial_weights(
        3, network="mlp", hidden=settings.hidden, continuous=interface.continuous, **sizes
    )
    policy.save(path, weights, policy.header("ppo", env_id, 3, 0, interface, settings))
    return path


@pytest.mark.parametrize("env_id", [*PONGS, CHEETAH])
def test_every_arm_has_a_trainer_that_takes_its_call(env_id: str) -> None:
    need.module("torch")
    plan = declared(env_id).transfer
    trainers = find_trainers(plan)
    for arm in ARMS:
        call = call_of(arm, 0, plan)
        assert trainers[arm] is find_trainer(call["trainer"])
        settings = Settings.of(call["options"])
        env = gymnasium.make_vec(call["env_id"], num_envs=1, **settings.env_options)
        env.close()


@pytest.mark.parametrize("env_id", PONGS)
def test_an_untrained_policy_earns_exactly_the_same_on_both_sides(
    env_id: str, tmp_path: Path
) -> None:
    declaration = declared(env_id)
    plan = replace(declaration.transfer, max_steps=400)
    path = untrained(env_id, tmp_path / "policy.npz")
    report = run_own_policy(declaration, plan, find_trainer(plan.trainer), path)
    assert report.equivalent
    assert (report.test.difference, report.test.standard_error) == (0.0, 0.0)
    assert report.test.means[0] < -10, "whole games were lost"


@pytest.mark.slow
def test_an_untrained_cheetah_earns_nearly_the_same_while_it_has_not_fallen_apart(
    tmp_path: Path,
) -> None:
    declaration = declared(CHEETAH)
    plan = replace(declaration.transfer, max_steps=5, pilot_episodes=2, margin=0.5)
    path = untrained(CHEETAH, tmp_path / "policy.npz")
    report = run_own_policy(declaration, plan, find_trainer(plan.trainer), path)
    # Resets draw from other generators, so that episodes are not the same; their spread is small.
    assert abs(report.test.difference) < 0.5
    assert 0 < report.test.standard_error < 0.2
