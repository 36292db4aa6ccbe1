from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hub_ppo import network
from tests import need

SIZES: dict[str, Any] = {"hidden": 8, "inputs": 3, "outputs": 2, "continuous": False}
RNG = np.random.default_rng(0)
SEEN = RNG.standard_normal((5, 4, 3)).astype(np.float32)
STARTED = RNG.random((5, 4)) < 0.3


def scan(recur: Any, memory: Any, inputs: Any) -> Any:
    memories = []
    for one in zip(*inputs, strict=True):
        memory = recur(memory, one)
        memories.append(memory)
    return np.stack(memories)


def weights_of(kind: str) -> dict[str, Any]:
    return network.initial_weights(3, network=kind, **SIZES)


def memory_of(weights: Any) -> Any:
    return np.full((4, network.memory_size(weights)), 0.5, np.float32)


@pytest.mark.parametrize("kind", ["mlp", "gru"])
def test_a_sequence_is_its_steps_one_after_another(kind: str) -> None:
    weights = weights_of(kind)
    memory = memory_of(weights)
    policy, values = network.sequence(np, weights, memory, SEEN, STARTED, scan)
    for t in range(len(SEEN)):
        memory, outputs, value = network.step(np, weights, memory, SEEN[t], STARTED[t])
        np.testing.assert_allclose(policy[t], outputs, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(values[t], value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["mlp", "gru"])
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_every_library_computes_what_numpy_computes(kind: str, library: str) -> None:
    module = need.module(library)
    xp, array = (module, module.from_numpy) if library == "torch" else (module.numpy,) * 2
    array = array if library == "torch" else module.numpy.asarray
    weights = weights_of(kind)
    memory = memory_of(weights)
    expected = network.step(np, weights, memory, SEEN[0], STARTED[0])
    given = ({n: array(w) for n, w in weights.items()}, *map(array, (memory, SEEN[0], STARTED[0])))
    for ours, theirs in zip(expected, network.step(xp, *given), strict=True):
        np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-5, atol=1e-6)


def test_the_first_observation_of_an_episode_forgets_the_memory() -> None:
    weights = weights_of("gru")
    memory = memory_of(weights)
    started = np.array([True, False, True, False])
    after = network.step(np, weights, memory, SEEN[0], started)[0]
    fresh = network.step(np, weights, 0 * memory, SEEN[0], started)[0]
    assert np.array_equal(after[started], fresh[started])
    assert not np.array_equal(after[~started], fresh[~started])


def test_the_gru_is_that_of_torch() -> None:
    torch = need.module("torch")
    weights = weights_of("gru")
    cell = torch.nn.GRUCell(8, 8)
    with torch.no_grad():
        for name, ours in (("ih", "gates"), ("hh", "memory")):
            getattr(cell, f"weight_{name}").copy_(torch.from_numpy(weights[f"{ours}.w"].T.copy()))
            getattr(cell, f"bias_{name}").copy_(torch.from_numpy(weights[f"{ours}.b"]))
        memory = memory_of(weights)
        inputs = np.tanh(SEEN[0] @ weights["encoder.w"] + weights["encoder.b"])
        expected = cell(torch.from_numpy(inputs), torch.from_numpy(memory))
    after = network.step(np, weights, memory, SEEN[0], np.zeros(4, bool))[0]
    np.testing.assert_allclose(after, expected.numpy(), rtol=1e-5, atol=1e-6)


def test_a_gru_of_576_has_two_million_weights_on_pong() -> None:
    shapes = network.shapes(network="gru", hidden=576, inputs=8, outputs=3, continuous=False)
    count = sum(np.prod(s) for name, s in shapes.items() if name not in network.STATISTICS)
    assert 1.95e6 < count < 2.05e6


def test_the_same_seed_draws_the_same_weights() -> None:
    first, again, other = (network.initial_weights(s, network="mlp", **SIZES) for s in (1, 1, 2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["actor.0.w"], other["actor.0.w"])
