"""The contract of a trainer, which `hub_register_trainers` registers by name.

`hub train` and the transfer level (L4) of `hub verify` use the same trainers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from numpy.typing import NDArray

from hub.errors import MissingDependency
from hub.plugins import PLUGINS


@dataclass(frozen=True)
class CurvePoint:
    """One point of a learning curve.

    Attributes:
        steps: Environment steps taken so far.
        mean_return: Mean undiscounted return of the episodes that ended since the last point.
    """

    steps: int
    mean_return: float


@dataclass(frozen=True)
class Trained:
    """What training left behind.

    Attributes:
        policy: The policy's file; `Trainer.load_policy` reads it.
        curve: The learning curve, in order of steps.
        steps: Environment steps taken, where the trainer tells.
    """

    policy: Path
    curve: tuple[CurvePoint, ...]
    steps: int | None = None

    @property
    def final_return(self) -> float | None:
        """Mean over the curve's points in the last tenth of the steps; None without a point."""
        if not self.curve:
            return None
        last = [p.mean_return for p in self.curve if p.steps >= 0.9 * self.curve[-1].steps]
        return sum(last) / len(last)


class Policy(Protocol):
    """A trained policy, acting for a batch of environments."""

    def __call__(self, observations: Any, starts: NDArray[Any]) -> NDArray[Any]:
        """Choose one action a lane.

        Args:
            observations: A batch of the single observation space, `[B, ...]`.
            starts: `[B] bool`, True where a lane's observation is the first of an episode; a
                recurrent policy forgets its state there. True everywhere in the first call,
                which also fixes B.

        Returns:
            `[B, ...]` actions of the single action space, without exploration noise unless the
            policy is stochastic by nature; its draws then come from the seed it was loaded with.
        """


class Trainer(Protocol):
    """Trains a policy in any registered environment, and loads it again."""

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
        """Train one policy.

        Args:
            env_id: A registered id; the trainer makes the environments.
            seed: Of everything random in it; the same seed trains the same policy on one machine.
            budget: Environment steps to take, at least; rounded up to whole batches.
            out: An existing folder of the caller's; every file goes there.
            progress: Called with every new point of the curve.
            **options: Hyper-parameters (JSON values); an unknown one raises `TypeError`. Every
                trainer has `env_options`, keyword arguments for the environments.

        Returns:
            The policy's file and the learning curve.
        """

    def load_policy(self, path: Path | str, *, seed: int = 0) -> Policy:
        """Load what `train` saved; best without the framework that it was trained with.

        Raises:
            ValueError: The file is not a policy of this trainer.
        """


def find_trainer(name: str) -> Trainer:
    """Load the trainer that a plugin registered under `name`.

    Raises:
        MissingDependency: No plugin registered it, or its framework is not installed.
    """
    components = PLUGINS.kind("trainers")
    if name not in components:
        known = ", ".join(components) or "none"
        raise MissingDependency(
            f"no trainer {name!r} (registered: {known}); gymhub's own need a framework: "
            "pip install torch, or pip install jax"
        )
    try:
        return cast(Trainer, components[name].load())
    except ImportError as error:
        absent = getattr(error.__cause__, "name", None) or error.name
        fix = f". Fix: pip install {absent}" if absent else ""
        raise MissingDependency(f"trainer {name!r} cannot be imported: {error}{fix}") from error
