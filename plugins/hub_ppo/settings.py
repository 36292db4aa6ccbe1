"""Hyper-parameters: one record for both trainers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from hub import UnknownOption
from hub.errors import TrainingError


@dataclass(frozen=True)
class Settings:
    """Hyper-parameters of PPO (Schulman et al. 2017).

    The defaults of `learning_rate`, `clip`, `epochs`, `gae_lambda` and `gamma` are those of the
    paper that this hub's environments follow; it gives neither entropy bonus nor minibatches.

    Attributes:
        lanes: Environments stepped at once.
        steps: Steps of each lane between two updates.
        network: `mlp` or `gru`.
        hidden: Width of every hidden layer.
        learning_rate: Of Adam.
        anneal: Let the learning rate fall linearly to 0 over the budget.
        clip: Largest relative change of an action's probability that still pays.
        epochs: Passes over a batch.
        minibatches: Parts of a batch, one gradient step each; they divide the lanes (`gru`, whose
            parts are whole sequences) or the samples (`mlp`).
        gamma: Discount of a step.
        gae_lambda: Of generalised advantage estimation (Schulman et al. 2016).
        entropy: Weight of the entropy bonus.
        value_weight: Weight of the value's squared error.
        max_grad_norm: Gradients are scaled down to this norm.
        reward_scale: Rewards are multiplied by it before learning (never in a learning curve).
        normalize: Normalise observations by running mean and deviation.
        env_options: Keyword arguments of the environment.
        device: `"cpu"`, `"cuda"`, `"gpu"`...; None takes the framework's best.
    """

    lanes: int = 64
    steps: int = 64
    network: str = "mlp"
    hidden: int = 64
    learning_rate: float = 2.5e-4
    anneal: bool = False
    clip: float = 0.2
    epochs: int = 4
    minibatches: int = 4
    gamma: float = 0.99
    gae_lambda: float = 0.95
    entropy: float = 0.01
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: float = 1.0
    normalize: bool = False
    env_options: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None

    def __post_init__(self) -> None:
        for name in ("lanes", "steps", "hidden", "epochs", "minibatches"):
            value = getattr(self, name)
            _require(type(value) is int and value >= 1, name, value, "a whole number, 1 or more")
        for name in ("learning_rate", "clip", "max_grad_norm", "reward_scale"):
            value = getattr(self, name)
            _require(value > 0, name, value, "more than 0")
        for name in ("gamma", "gae_lambda"):
            value = getattr(self, name)
            _require(0 <= value <= 1, name, value, "between 0 and 1")
        _require(self.network in ("mlp", "gru"), "network", self.network, "'mlp' or 'gru'")
        parts = self.lanes if self.network == "gru" else self.lanes * self.steps
        expected = f"a divisor of {parts} ({'lanes' if self.network == 'gru' else 'samples'})"
        _require(parts % self.minibatches == 0, "minibatches", self.minibatches, expected)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Settings:
        """Make settings of a trainer's options.

        Raises:
            UnknownOption: A `TypeError`: there is no such option.
            TrainingError: A `ValueError`: A value is out of range.
        """
        known = [f.name for f in fields(cls)]
        for name in options:
            if name not in known:
                raise UnknownOption(f"PPO has no option {name!r}; it has {', '.join(known)}")
        return cls(**options)

    def to_json(self) -> dict[str, Any]:
        """Return all of them as JSON values."""
        return {**asdict(self), "env_options": dict(self.env_options)}

    @property
    def batch(self) -> int:
        """Samples between two updates."""
        return self.lanes * self.steps


def training_seed(seed: int) -> int:
    """Return the first lane's seed for training seed `seed`.

    Seeds of policies and of evaluation are small whole numbers that follow each other, and so do
    the lanes of one training: these start beyond 2**31 and far from one another, so that no two
    policies learn from the same games and none is evaluated on games that it learned from.
    """
    return (1 << 31) + int(np.random.SeedSequence(seed).generate_state(1)[0] >> 1)


def _require(holds: bool, name: str, value: Any, expected: str) -> None:
    if not holds:
        raise TrainingError(f"{name} is {value!r}: expected {expected}")
