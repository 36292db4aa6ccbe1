from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from hub_ppo import policy
from hub_ppo.settings import Settings
from hub_ppo.spaces import Interface
from tests import need
from tests.plugins.hub_ppo.clockwork import clockworks
from tests.plugins.hub_ppo.worked import advantages_by_definition, check_clockwork

torch = need.module("torch")
from hub_ppo import ppo_torch, trainers  # noqa: E402  # torch may be missing

SMALL: dict[str, Any] = {"lanes": 4, "steps": 16, "hidden": 8}
RUN: dict[str, Any] = {"env_id": "CartPole-v1", "budget": 200, **SMALL}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_gae_of_a_hand_worked_example() -> None:
    # gamma 0.5, lambda 0.5. Deltas: 1 + 0.5*4 - 2 = 1; 2 + 0.5*6 - 4 = 1 and the episode ends
    # there (truncated, last value 6); 1 + 0.5*2 - 1 = 1.
    # Advantages from the back: 1; 1; 1 + 0.25 * 1 = 1.25.
    rewards, values = np.array([[1.0], [2.0], [1.0]]), np.array([[2.0], [4.0], [1.0]])
    follow, ended = np.array([[4.0], [6.0], [2.0]]), np.array([[False], [True], [False]])
    found = ppo_torch.gae(rewards, values, follow, ended, 0.5, 0.5)
    assert found[:, 0].tolist() == [1.25, 1.0, 1.0]


def test_gae_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    rewards, values, follow = rng.standard_normal((3, 9, 4))
    ended = rng.random((9, 4)) < 0.3
    found = ppo_torch.gae(rewards, values, follow, ended, 0.97, 0.9)
    expected = advantages_by_definition(rewards, values, follow, ended, 0.97, 0.9)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("network", ["mlp", "gru"])
@pytest.mark.parametrize("truncates", [True, False], ids=["truncated", "terminated"])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_both_autoreset_modes_give_the_advantages_of_the_definition(
    mode: AutoresetMode, truncates: bool, network: str
) -> None:
    settings = Settings(lanes=3, steps=14, hidden=8, network=network, minibatches=1, gamma=0.9)
    env = clockworks(mode, truncates=truncates)
    interface = Interface.of(env.single_observation_space, env.single_action_space)
    learner = ppo_torch.Learner(interface, settings, 5)
    collector = ppo_torch.Collector(env, learner, 0)
    batch = {name: x.numpy() for name, x in collector.collect().items()}
    weights = {name: w.detach().numpy() for name, w in learner.weights.items()}
    checked = check_clockwork(batch, weights, settings, truncates)
    # A NEXT_STEP lane spends one step an episode on its reset: in 14 steps 4, 3 and 2 of them.
    assert checked == 3 * 14 - (4 + 3 + 2 if mode is AutoresetMode.NEXT_STEP else 0)


def test_a_step_that_only_resets_is_masked_and_changes_no_gradient() -> None:
    settings = Settings(lanes=3, steps=14, hidden=8, minibatches=1)
    env = clockworks(AutoresetMode.NEXT_STEP, truncates=True)
    interface = Interface.of(env.single_observation_space, env.single_action_space)
    learner = ppo_torch.Learner(interface, settings, 5)
    batch = ppo_torch.Collector(env, learner, 0).collect()
    assert np.flatnonzero(~batch["valid"][:, 0].numpy()).tolist() == [2, 5, 8, 11]
    gradients = []
    for poison in (0.0, 1e3):
        spoilt = {n: x.clone() for n, x in batch.items()}
        for name in ("advantage", "target"):
            spoilt[name][~batch["valid"]] += poison
        for weight in learner.trained:
            weight.grad = None
        ppo_torch.loss(learner.weights, spoilt, interface, settings).backward()
        gradients.append([weight.grad.clone() for weight in learner.trained])
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*gradients, strict=True))


def test_autoreset_disabled_is_refused() -> None:
    env = clockworks(AutoresetMode.DISABLED, truncates=True)
    interface = Interface.of(env.single_observation_space, env.single_action_space)
    learner = ppo_torch.Learner(interface, Settings(lanes=3, minibatches=1), 0)
    with pytest.raises(ValueError, match="PPO needs NEXT_STEP or SAME_STEP"):
        ppo_torch.Collector(env, learner, 0)


def train(out: Path, seed: int, **changes: Any) -> tuple[Any, dict[str, Any]]:
    out.mkdir()
    trained = trainers.TORCH.train(out=out, seed=seed, **{**RUN, **changes})
    return trained, policy.load(trained.policy)[0]


@pytest.mark.parametrize("network", ["mlp", "gru"])
def test_the_same_seed_trains_the_same_policy(tmp_path: Path, network: str) -> None:
    first, weights = train(tmp_path / "a", 3, network=network)
    again, same = train(tmp_path / "b", 3, network=network)
    _, other = train(tmp_path / "c", 4, network=network)
    assert first.curve == again.curve
    assert all(np.array_equal(weights[name], same[name]) for name in weights)
    assert not np.array_equal(weights["value.w"], other["value.w"])


def test_continuous_actions_are_trained_and_stay_in_their_box(tmp_path: Path) -> None:
    trained, weights = train(tmp_path / "p", 0, env_id="Pendulum-v1", normalize=True, budget=1000)
    assert np.abs(weights["log_std"]).max() > 0
    assert not np.array_equal(weights["input.scale"], np.ones(3))
    acting = trainers.TORCH.load_policy(trained.policy)
    actions = acting(np.ones((5, 3), np.float32), np.ones(5, bool))
    assert gymnasium.make("Pendulum-v1").action_space.contains(actions[0])


def test_a_loaded_policy_acts_as_the_trained_network(tmp_path: Path) -> None:
    trained, weights = train(tmp_path / "p", 0, network="gru")
    acting = trainers.TORCH.load_policy(trained.policy)
    tensors = {name: torch.from_numpy(w) for name, w in weights.items()}
    seen = np.random.default_rng(0).standard_normal((3, 6, 4)).astype(np.float32)
    memory = torch.zeros(6, 8)
    for t, starts in enumerate((np.ones(6, bool), np.zeros(6, bool), np.arange(6) == 2)):
        inputs = torch.from_numpy(seen[t]), torch.from_numpy(starts)
        memory, outputs, _ = ppo_torch.network.step(torch, tensors, memory, *inputs)
        assert np.array_equal(acting(seen[t], starts), outputs.argmax(-1).numpy())


def test_an_unknown_option_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no option 'speed'"):
        train(tmp_path / "p", 0, speed=1)
    assert list((tmp_path / "p").iterdir()) == []


def test_the_budget_is_a_least_number_of_steps(tmp_path: Path) -> None:
    trained, _ = train(tmp_path / "p", 0, budget=100)
    assert 100 <= policy.load(trained.policy)[1]["steps"] <= 100 + 4 * 16


@pytest.mark.slow
def test_c_pong_is_learnt_in_a_quarter_of_a_million_steps(tmp_path: Path) -> None:
    need.module("hub_pong")
    options = {"learning_rate": 2.5e-3, "env_options": {"frame_skip": 8}}
    big = {"lanes": 64, "steps": 64, "hidden": 64}
    trained, _ = train(
        tmp_path / "p", 0, env_id="hub:native/Pong-v0", budget=250_000, **big, **options
    )
    # Random play loses 21 points and returns a ball now and then.
    assert trained.curve[0].mean_return < -18
    assert trained.final_return is not None
    assert trained.final_return > 0
