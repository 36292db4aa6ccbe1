"""skrl trains on native lanes without an adapter, whatever their autoreset mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import hub
from hub.plugins import load
from tests import need

pytestmark = pytest.mark.usefixtures("torch_seeded")


def models(torch: Any, env: Any) -> dict[str, Any]:
    base = need.module("skrl.models.torch")

    class Policy(base.CategoricalMixin, base.Model):  # type: ignore[misc, name-defined]  # skrl is taken as Any
        def __init__(self) -> None:
            base.Model.__init__(
                self, observation_space=env.observation_space, action_space=env.action_space
            )
            base.CategoricalMixin.__init__(self)
            self.net = torch.nn.Linear(8, 3)

        def compute(self, inputs: dict[str, Any], role: str) -> tuple[Any, dict[str, Any]]:
            return self.net(inputs["observations"]), {}

    class Value(base.DeterministicMixin, base.Model):  # type: ignore[misc, name-defined]  # as above
        def __init__(self) -> None:
            base.Model.__init__(
                self, observation_space=env.observation_space, action_space=env.action_space
            )
            base.DeterministicMixin.__init__(self)
            self.net = torch.nn.Linear(8, 1)

        def compute(self, inputs: dict[str, Any], role: str) -> tuple[Any, dict[str, Any]]:
            return self.net(inputs["observations"]), {}

    return {"policy": Policy(), "value": Value()}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_ppo_trains_on_native_lanes(pong: str, mode: str, tmp_path: Path) -> None:
    torch = need.module("torch")
    wrap_env = need.module("skrl.envs.wrappers.torch").wrap_env
    ppo = need.module("skrl.agents.torch.ppo")
    memory = need.module("skrl.memories.torch").RandomMemory
    trainer = need.module("skrl.trainers.torch").SequentialTrainer
    env = wrap_env(
        gymnasium.make_vec(pong, 16, autoreset_mode=mode, max_episode_steps=20), verbose=False
    )
    experiment = {"directory": str(tmp_path), "write_interval": 0, "checkpoint_interval": 0}
    parts = models(torch, env)
    before = parts["policy"].net.weight.detach().numpy().copy()
    agent = ppo.PPO(
        models=parts,
        memory=memory(memory_size=64, num_envs=env.num_envs),
        observation_space=env.observation_space,
        action_space=env.action_space,
        cfg={"rollouts": 64, "learning_epochs": 2, "experiment": experiment},
    )
    # Without `headless` it renders by a method that SyncVectorEnv alone has.
    cfg = {
        "timesteps": 256,
        "headless": True,
        "disable_progressbar": True,
        "close_environment_at_exit": False,
    }
    trainer(env=env, agents=agent, cfg=cfg).train()
    assert not np.array_equal(before, parts["policy"].net.weight.detach().numpy())


def test_it_recognises_the_vector_class_of_every_installed_environment() -> None:
    for card in hub.PLUGINS.registry:
        # skrl knows no text spaces, so agent environments are not for it.
        if card.vector_entry_point and card.family != "agent" and not card.missing():
            bases = load(card.vector_entry_point).__bases__
            assert any(base.__module__.startswith("gymnasium.") for base in bases), (
                f"{card.id}: name gymnasium.vector.VectorEnv among the bases of its vector class"
            )


def test_it_wraps_the_single_environment(pong: str) -> None:
    torch = need.module("torch")
    wrap_env = need.module("skrl.envs.wrappers.torch").wrap_env
    env = wrap_env(gymnasium.make(pong), verbose=False)
    observations, _ = env.reset()
    for _ in range(500):
        observations, rewards, *_ = env.step(torch.zeros((1, 1), dtype=torch.int64))
    assert (observations.shape, rewards.shape) == ((1, 8), (1, 1))
