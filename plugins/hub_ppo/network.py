"""The networks, written once for NumPy, torch and JAX: `xp` is the module that the arrays are of.

Weights are a flat mapping of names to float32 arrays, so that a policy file is the same whoever
trained it. `mlp` has two towers of two tanh layers, for the policy and for the value; `gru` has
one tanh layer and a gated recurrent unit (Cho et al. 2014, in the variant of cuDNN, which applies
the reset gate after the product) below both heads. `log_std` is there when actions are continuous:
a Gaussian whose spread does not depend on the state.

Shapes: `B` stands for any leading axes, `M` for the size of the memory (0 for `mlp`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Weights: TypeAlias = Mapping[str, Any]

# Statistics of the observations: part of the network, but set from data, not by gradients.
STATISTICS = ("input.mean", "input.scale")
CLIP = 10.0  # normalised observations beyond it are outliers
POLICY_GAIN = 0.01  # the first policy is nearly uniform (Andrychowicz et al. 2021, C57)


def shapes(
    *, network: str, hidden: int, inputs: int, outputs: int, continuous: bool
) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight.

    Args:
        network: `mlp` or `gru`.
        hidden: Width of every hidden layer.
        inputs: Size of a flat observation.
        outputs: Number of actions, or size of a continuous one.
        continuous: Whether actions are continuous.
    """
    layers = {"encoder": (inputs, hidden), "gates": (hidden, 3 * hidden)}
    layers["memory"] = (hidden, 3 * hidden)
    if network == "mlp":
        layers = {f"{tower}.0": (inputs, hidden) for tower in ("actor", "critic")}
        layers |= {f"{tower}.1": (hidden, hidden) for tower in ("actor", "critic")}
    layers |= {"policy": (hidden, outputs), "value": (hidden, 1)}
    found: dict[str, tuple[int, ...]] = dict.fromkeys(STATISTICS, (inputs,))
    for name, (fan_in, width) in layers.items():
        found |= {f"{name}.w": (fan_in, width), f"{name}.b": (width,)}
    return found | ({"log_std": (outputs,)} if continuous else {})


def initial_weights(seed: int, **sizes: Any) -> dict[str, NDArray[np.float32]]:
    """Draw the weights: normal, variance `1 / fan_in`; biases and the log of the spread are 0.

    Args:
        seed: The same seed gives the same weights in both trainers.
        **sizes: As `shapes`.
    """
    rng = np.random.default_rng(seed)
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes(**sizes).items()}
    weights["input.scale"] += 1
    for name, value in weights.items():
        if name.endswith(".w"):
            gain = (POLICY_GAIN if name == "policy.w" else 1.0) / np.sqrt(len(value))
            weights[name] = rng.standard_normal(value.shape, np.float32) * np.float32(gain)
    return weights


def memory_size(weights: Weights) -> int:
    """Return `M`."""
    return int(weights["memory.w"].shape[0]) if "memory.w" in weights else 0


def parameters(weights: Weights) -> int:
    """Count the weights that are trained."""
    return sum(int(np.prod(w.shape)) for name, w in weights.items() if name not in STATISTICS)


def step(
    xp: Any, weights: Weights, memory: Any, observation: Any, started: Any
) -> tuple[Any, Any, Any]:
    """Look at one observation a lane.

    Args:
        xp: `numpy`, `torch` or `jax.numpy`.
        weights: Of `initial_weights`, trained or not.
        memory: `[B, M]`.
        observation: `[B, inputs] float32`.
        started: `[B] bool`: the first observation of an episode, before which memory is forgotten.

    Returns:
        Memory `[B, M]`, the policy's logits or means `[B, outputs]`, and values `[B]`.
    """
    seen = _normalised(xp, weights, observation)
    if not memory_size(weights):
        return memory, *_heads(weights, *_towers(xp, weights, seen))
    memory = _recur(xp, weights, memory, (_gates(xp, weights, seen), started))
    return memory, *_heads(weights, memory, memory)


def sequence(
    xp: Any,
    weights: Weights,
    memory: Any,
    observation: Any,
    started: Any,
    scan: Callable[[Callable[[Any, Any], Any], Any, tuple[Any, Any]], Any],
) -> tuple[Any, Any]:
    """Look at whole sequences: `step` over the first axis, the parallel parts in one product.

    Args:
        xp: As in `step`, like `weights`; `memory` is the one before the first step.
        weights: See there.
        memory: `[B, M]`.
        observation: `[T, B, inputs]`.
        started: `[T, B] bool`.
        scan: `scan(recur, memory, (gates, started))` gives `recur`'s memories, `[T, B, M]`.

    Returns:
        Logits or means `[T, B, outputs]`, values `[T, B]`.
    """
    seen = _normalised(xp, weights, observation)
    if not memory_size(weights):
        return _heads(weights, *_towers(xp, weights, seen))

    def recur(before: Any, inputs: Any) -> Any:
        return _recur(xp, weights, before, inputs)

    memories = scan(recur, memory, (_gates(xp, weights, seen), started))
    return _heads(weights, memories, memories)


def _normalised(xp: Any, weights: Weights, observation: Any) -> Any:
    return xp.clip((observation - weights["input.mean"]) * weights["input.scale"], -CLIP, CLIP)


def _dense(weights: Weights, name: str, inputs: Any) -> Any:
    return inputs @ weights[f"{name}.w"] + weights[f"{name}.b"]


def _towers(xp: Any, weights: Weights, seen: Any) -> tuple[Any, Any]:
    def tower(name: str) -> Any:
        return xp.tanh(_dense(weights, f"{name}.1", xp.tanh(_dense(weights, f"{name}.0", seen))))

    return tower("actor"), tower("critic")


def _gates(xp: Any, weights: Weights, seen: Any) -> Any:
    return _dense(weights, "gates", xp.tanh(_dense(weights, "encoder", seen)))


def _recur(xp: Any, weights: Weights, memory: Any, inputs: tuple[Any, Any]) -> Any:
    gates, started = inputs
    size = memory_size(weights)
    memory = xp.where(started[..., None], xp.zeros_like(memory), memory)
    recalled = _dense(weights, "memory", memory)
    both = _sigmoid(xp, gates[..., : 2 * size] + recalled[..., : 2 * size])
    reset, keep = both[..., :size], both[..., size:]
    fresh = xp.tanh(gates[..., 2 * size :] + reset * recalled[..., 2 * size :])
    return fresh + keep * (memory - fresh)


def _sigmoid(xp: Any, inputs: Any) -> Any:
    # By tanh, which all three have and which does not overflow.
    return 0.5 * xp.tanh(0.5 * inputs) + 0.5


def _heads(weights: Weights, actor: Any, critic: Any) -> tuple[Any, Any]:
    return _dense(weights, "policy", actor), _dense(weights, "value", critic)[..., 0]
