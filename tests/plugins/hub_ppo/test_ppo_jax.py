from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from hub_ppo import network, policy
from hub_ppo.settings import Settings
from hub_ppo.spaces import Interface
from tests import need
from tests.plugins.hub_ppo.worked import advantages_by_definition, check_clockwork

jax = need.module("jax")
import jax.numpy as jnp  # noqa: E402  # jax may be missing

from hub.functional import FunctionalEnv, Transition, struct  # noqa: E402  # likewise
from hub_ppo import ppo_jax, trainers  # noqa: E402  # likewise

BOX = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)


@struct
class Clock:
    """A clockwork's state."""

    k: Any  # [] float32
    lane: Any  # [] float32


def clockwork(truncates: bool) -> FunctionalEnv[Any, Any]:
    """The clockwork of `clockwork.py` in JAX; the three lanes are told by their first seed."""
    first = ppo_jax.training_seed(5)

    def init(key: Any, params: Any) -> Clock:
        return Clock(jnp.float32(0), (jax.random.key_data(key)[1] - params).astype(jnp.float32))

    def restart(key: Any, state: Clock, params: Any) -> Clock:
        return Clock(jnp.float32(0), state.lane)

    def step(key: Any, state: Clock, action: Any, params: Any) -> Transition[Clock]:
        state = Clock(state.k + 1, state.lane)
        length = jnp.array([2, 3, 5])[state.lane.astype(int)]
        end = state.k == length
        never = jnp.zeros_like(end)
        flags = (never, end) if truncates else (end, never)
        return Transition(state, state.k + action, *flags, {})

    def observe(state: Clock, params: Any) -> Any:
        return jnp.stack([state.k, state.lane / 4])

    space = gymnasium.spaces.Discrete(2)
    return FunctionalEnv(
        "clockwork", init, step, observe, jnp.uint32(first), BOX, space, restart=restart
    )


@pytest.mark.parametrize("kind", ["mlp", "gru"])
@pytest.mark.parametrize("truncates", [True, False], ids=["truncated", "terminated"])
def test_a_fused_rollout_gives_the_advantages_of_the_definition(truncates: bool, kind: str) -> None:
    env = clockwork(truncates)
    settings = Settings(lanes=3, steps=14, hidden=8, network=kind, minibatches=1, gamma=0.9)
    interface = Interface.of(env.observation_space, env.action_space)
    iteration = ppo_jax.Iteration(env, interface, settings)
    learner = iteration.begin(5)
    weights = learner.weights | learner.fixed
    _, _, batch = jax.jit(iteration.collect)(weights, learner.runner)
    host = {name: np.asarray(x) for name, x in batch.items()}
    plain = {name: np.asarray(w) for name, w in weights.items()}
    assert check_clockwork(host, plain, settings, truncates) == 3 * 14


def test_gae_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    rewards, values, follow = rng.standard_normal((3, 9, 4)).astype(np.float32)
    ended = rng.random((9, 4)) < 0.3
    found = ppo_jax.gae(*map(jnp.asarray, (rewards, values, follow, ended)), 0.97, 0.9)
    expected = advantages_by_definition(rewards, values, follow, ended, 0.97, 0.9)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def random_batch(interface: Interface, memory: int) -> dict[str, Any]:
    rng, shape = np.random.default_rng(1), (5, 6)
    action = rng.integers(0, interface.outputs, shape)
    if interface.continuous:
        action = rng.standard_normal((*shape, interface.outputs)).astype(np.float32)
    names = ("advantage", "target")
    return {
        **{name: rng.standard_normal(shape).astype(np.float32) for name in names},
        "observation": rng.standard_normal((*shape, 3)).astype(np.float32),
        "started": rng.random(shape) < 0.2,
        "valid": rng.random(shape) < 0.8,
        "action": action,
        "logprob": rng.uniform(-3, -1, shape).astype(np.float32),
        "memory": rng.standard_normal((6, memory)).astype(np.float32),
    }


@pytest.mark.parametrize("kind", ["mlp", "gru"])
@pytest.mark.parametrize("continuous", [False, True], ids=["discrete", "continuous"])
def test_torch_and_jax_agree_on_loss_and_gradients(kind: str, continuous: bool) -> None:
    torch = need.module("torch")
    from hub_ppo import ppo_torch

    interface = Interface(3, 2, continuous, shape=(2,) if continuous else ())
    settings = Settings(hidden=8, network=kind)
    weights = network.initial_weights(
        2, network=kind, hidden=8, inputs=3, outputs=2, continuous=continuous
    )
    batch = random_batch(interface, network.memory_size(weights))
    tensors = {n: torch.from_numpy(w).requires_grad_() for n, w in weights.items()}
    theirs = {n: torch.from_numpy(x) for n, x in batch.items()}
    expected = ppo_torch.loss(tensors, theirs, interface, settings)
    expected.backward()
    value, grads = jax.value_and_grad(ppo_jax.loss)(
        {n: jnp.asarray(w) for n, w in weights.items()},
        {n: jnp.asarray(x) for n, x in batch.items()},
        interface,
        settings,
    )
    np.testing.assert_allclose(value, expected.item(), rtol=1e-5)
    for name, grad in grads.items():
        other = tensors[name].grad.numpy()
        np.testing.assert_allclose(grad, other, rtol=1e-3, atol=1e-5, err_msg=name)


def test_adam_is_that_of_torch() -> None:
    torch = need.module("torch")
    start = np.array([1.0, -2.0, 3.0], np.float32)
    ours, state = jnp.asarray(start), ppo_jax.Adam.none(jnp.asarray(start))
    theirs = torch.from_numpy(start.copy()).requires_grad_()
    optimiser = torch.optim.Adam([theirs], 0.1, eps=1e-5)
    for scale in (1.0, 5.0, 0.01, 2.0):
        theirs.grad = 2 * scale * theirs.detach()
        grad = 2 * scale * ours
        torch.nn.utils.clip_grad_norm_([theirs], 0.5)
        optimiser.step()
        ours, state = state.step(ours, grad, 0.1, 0.5)
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-5)


SMALL: dict[str, Any] = {"lanes": 8, "steps": 16, "hidden": 8}


def train(out: Path, env_id: str, seed: int, budget: int, **options: Any) -> tuple[Any, Any]:
    out.mkdir()
    trained = trainers.JAX.train(env_id, out=out, seed=seed, budget=budget, **options)
    return trained, policy.load(trained.policy)[0]


def test_the_same_seed_trains_the_same_policy(tmp_path: Path) -> None:
    first, weights = train(tmp_path / "a", "hub:jax/Pong-v0", 3, 300, **SMALL)
    _, same = train(tmp_path / "b", "hub:jax/Pong-v0", 3, 300, **SMALL)
    _, other = train(tmp_path / "c", "hub:jax/Pong-v0", 4, 300, **SMALL)
    assert all(np.array_equal(weights[name], same[name]) for name in weights)
    assert not np.array_equal(weights["value.w"], other["value.w"])
    loaded = trainers.JAX.load_policy(first.policy)
    assert loaded(np.zeros((2, 8), np.float32), np.ones(2, bool)).shape == (2,)


def test_an_environment_that_is_not_functional_is_refused_with_the_other_trainer(
    tmp_path: Path,
) -> None:
    with pytest.raises(ValueError, match=r"CartPole-v1 is no functional JAX.*use trainer 'ppo'"):
        train(tmp_path / "p", "CartPole-v1", 0, 100)


@pytest.mark.slow
def test_jax_pong_is_learnt_in_a_quarter_of_a_million_steps(tmp_path: Path) -> None:
    options: dict[str, Any] = {"learning_rate": 2.5e-3, "env_options": {"frame_skip": 8}}
    trained, _ = train(tmp_path / "p", "hub:jax/Pong-v0", 0, 250_000, **options)
    assert trained.curve[0].mean_return < -15
    assert trained.final_return is not None
    assert trained.final_return > 0
