"""The trainers as the hub knows them: training imports a framework, acting needs NumPy alone."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hub import MissingDependency
from hub.fidelity import CurvePoint, Trained
from hub_ppo.policy import SavedPolicy


@dataclass(frozen=True)
class PPO:
    """A trainer whose framework is imported when it trains; see `hub.fidelity.Trainer`.

    Attributes:
        name: It is registered under this name.
        module: Whose function `train` trains.
        framework: The distribution to install for it.
    """

    name: str
    module: str
    framework: str

    def train(
        self,
        env_id: str,
        *,
        seed: int,
        budget: int,
        out: Path,
        progress: Callable[[CurvePoint], None] | None = None,
        **options: Any,
    ) -> Trained:
        """Train one policy; options are those of `hub_ppo.settings.Settings`.

        Raises:
            MissingDependency: The framework is not installed.
            UnknownOption: A `TypeError`: there is no such option.
            TrainingError: A `ValueError`: an option, a space or the environment does not suit.
        """
        try:
            module = importlib.import_module(self.module)
        except ImportError as error:
            raise MissingDependency(
                f"trainer {self.name!r} cannot train: {error}. Fix: pip install {self.framework}"
            ) from error
        return cast(
            Trained,
            module.train(env_id, seed=seed, budget=budget, out=out, progress=progress, **options),
        )

    def load_policy(self, path: Path | str, *, seed: int = 0) -> SavedPolicy:
        """Load a policy that either trainer saved; it draws nothing, so `seed` is not used.

        Raises:
            PolicyError: A `ValueError`: the file is no policy.
        """
        return SavedPolicy(Path(path))


TORCH = PPO("ppo", "hub_ppo.ppo_torch", "torch")
JAX = PPO("ppo-jax", "hub_ppo.ppo_jax", "jax")
