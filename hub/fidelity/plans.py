"""Plans of a declaration: rollouts (L3), distributions (L3) and transfer (L4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from hub.fidelity.actions import ActionSource, random_actions, sticky_actions
from hub.fidelity.requirements import at_least, require

Env: TypeAlias = gymnasium.Env[Any, Any]
Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]

MIN_EPISODES = 1_000
MIN_POLICIES = 10


@dataclass(frozen=True)
class Exact:
    """L3 for discrete rules: same seeds and actions, every step equal.

    Observation, reward, terminated and truncated are compared with `==`, a wider float of the
    reference first brought to the engine's dtype; NaN equals NaN.

    Attributes:
        max_steps: An episode is compared up to this step.
        episodes: Full size, at least 1,000, shared out evenly among `actions`.
        lanes: Lanes of the engine that are compared at once.
        seed: Episode `i` is reset with `seed + i` on both sides.
        actions: Where actions come from; the same for both sides.
        variants: Options of the environment, the same for both sides; each variant is compared
            over `episodes` episodes.
    """

    max_steps: int
    episodes: int = MIN_EPISODES
    lanes: int = 16
    seed: int = 0
    actions: tuple[ActionSource, ...] = (random_actions(), sticky_actions(0.9))
    variants: tuple[Mapping[str, Any], ...] = ({},)

    def __post_init__(self) -> None:
        at_least("Exact.episodes", self.episodes, MIN_EPISODES)
        at_least("Exact.max_steps", self.max_steps, 1)
        at_least("Exact.lanes", self.lanes, 1)
        require(bool(self.actions), "Exact.actions", self.actions, "at least one action source")
        require(bool(self.variants), "Exact.variants", self.variants, "at least one, as `{}`")


def relative_norm(expected: Floats, actual: Floats) -> Floats:
    """Norm of the difference over the norm of the expected value, per row.

    Args:
        expected: The reference's results, `[B, K]`.
        actual: The engine's results, `[B, K]`.

    Returns:
        `[B]`; where the expected norm is 0 the norm of the difference itself.
    """
    size = np.linalg.norm(expected, axis=1)
    gap = np.linalg.norm(actual - expected, axis=1)
    return np.asarray(gap / np.where(size > 0, size, 1.0), dtype=np.float64)


@dataclass(frozen=True)
class TeacherForced:
    """L3 for continuous dynamics: every step starts from the reference's own state.

    Free rollouts of a chaotic system part company within tens of steps however small the error
    of one step, so that each step is compared from the same state, in float64, and a few free
    steps follow. A float32 engine is held to `Declaration.distributions` only. Action sources
    are given the reference's state, since only whole environment steps have observations.

    Attributes:
        read_state: `(reference_env) -> [S] float64`, the whole state before a step.
        reference_step: `(reference_env, action) -> ([K] float64, done)`: advance the reference
            by one step of the kind compared (an `mj_step`, or an environment step) and return
            what is compared (an acceleration, or the next state). `done` ends the episode.
        engine_step: `(states [B, S], actions [B, A]) -> (next_states [B, S], results [B, K])`,
            in float64, with the engine under test.
        tolerance: Largest error allowed of one step.
        free_tolerance: Largest error allowed after `free_steps` steps of the engine on its own,
            `error` being taken between the two states.
        error: `(expected, actual) -> [B]`.
        states: Steps compared in a full run, at least 1,000, shared evenly among `actions`.
        steps_per_episode: The reference is reset after so many steps.
        free_steps: Length of the free runs.
        batch: Rows handed to `engine_step` at once (always exactly this many, so that a
            compiled engine is traced once; the last batch is padded by repeating a row).
        seed: Episode `i` is reset with `seed + i`.
        actions: Random, trained and saturated ones find different states.
    """

    read_state: Callable[[Env], Floats]
    reference_step: Callable[[Env, Array], tuple[Floats, bool]]
    engine_step: Callable[[Floats, Floats], tuple[Floats, Floats]]
    tolerance: float
    free_tolerance: float
    error: Callable[[Floats, Floats], Floats] = relative_norm
    states: int = 10_000
    steps_per_episode: int = 200
    free_steps: int = 5
    batch: int = 256
    seed: int = 0
    actions: tuple[ActionSource, ...] = (random_actions(), sticky_actions(0.9))

    def __post_init__(self) -> None:
        at_least("TeacherForced.states", self.states, MIN_EPISODES)
        at_least("TeacherForced.free_steps", self.free_steps, 1)
        at_least("TeacherForced.steps_per_episode", self.steps_per_episode, self.free_steps + 1)
        require(self.tolerance >= 0, "TeacherForced.tolerance", self.tolerance, "0 or more")
        require(bool(self.actions), "TeacherForced.actions", self.actions, "at least one source")


@dataclass(frozen=True)
class Distributions:
    """L3, second half: are observations distributed as the reference's?

    For every component of the flattened observation: Welch's t (means), Brown-Forsythe
    (variances) and two-sample Kolmogorov-Smirnov, Bonferroni-corrected over all of them.
    Randomness lost in translation fails whatever the p-values: a component that varies in the
    reference over lanes and episodes must vary in the engine over lanes and over episodes.

    Attributes:
        samples: Observations a side and horizon, at least 256.
        horizons: 0 is the state after `reset`; `k` the observation after `k` random actions of
            an episode (episodes that end sooner are left out on both sides).
        alpha: Family-wise error rate of one run.
        seed: Seeds of both sides are drawn from it, disjoint from each other.
    """

    samples: int = 256
    horizons: tuple[int, ...] = (0,)
    alpha: float = 1e-3
    seed: int = 0

    def __post_init__(self) -> None:
        at_least("Distributions.samples", self.samples, 256)
        require(0 in self.horizons, "Distributions.horizons", self.horizons, "0 among them")


@dataclass(frozen=True)
class Transfer:
    """L4: policies trained on either side, evaluated on both, equivalent within a margin.

    The unit is the policy; its returns on the two sides are paired by episode seed. A pilot
    with seeds of its own estimates the spread (never the mean), from which the numbers of
    policies and episodes follow for the stated power.

    Attributes:
        margin: Largest difference of mean return that counts as none; fixed before any run.
        return_threshold: A policy counts only after its mean return where it was trained is
            at least this.
        budget: Environment steps a policy is trained for.
        fast_id: Registered id of the engine, for the trainer.
        reference_id: Registered id of the reference, for the trainer.
        max_steps: Evaluation episodes stop here on both sides.
        trainer: Trains the engine's arm; the name under which a plugin registered it
            (`hub_register_trainers`).
        reference_trainer: Trains the reference's arm; empty for the same trainer.
        trainer_options: Keyword arguments for both (JSON values).
        engine_options: Options of the engine in training and evaluation (JSON values).
        reference_options: Likewise of the reference.
        policies: Smallest number of policies an arm, at least 10.
        max_policies: Largest number an arm; needing more means that the row cannot pass.
        pilot_episodes: Episodes a policy in the pilot.
        max_episodes: Largest number of episodes a policy.
        alpha: Size of each one-sided test.
        power: Wanted probability to show equivalence when the true difference is 0.
        seed: Of training (`seed + i`) and evaluation.
    """

    margin: float
    return_threshold: float
    budget: int
    fast_id: str
    reference_id: str
    max_steps: int
    trainer: str = "ppo"
    reference_trainer: str = ""
    trainer_options: Mapping[str, Any] = field(default_factory=dict)
    engine_options: Mapping[str, Any] = field(default_factory=dict)
    reference_options: Mapping[str, Any] = field(default_factory=dict)
    policies: int = MIN_POLICIES
    max_policies: int = 40
    pilot_episodes: int = 10
    max_episodes: int = 1_000
    alpha: float = 0.05
    power: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.margin > 0, "Transfer.margin", self.margin, "more than 0")
        require(0 < self.alpha < 0.5, "Transfer.alpha", self.alpha, "between 0 and 0.5")
        require(0 < self.power < 1, "Transfer.power", self.power, "between 0 and 1")
        at_least("Transfer.policies", self.policies, MIN_POLICIES)
        at_least("Transfer.max_policies", self.max_policies, self.policies)
        at_least("Transfer.pilot_episodes", self.pilot_episodes, 2)
        at_least("Transfer.max_episodes", self.max_episodes, self.pilot_episodes)
