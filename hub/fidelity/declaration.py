"""What a translation declares so that `hub verify` can prove it equal to its reference.

A declaration is plain data and callables in a module of its own, named by its card as
`EnvCard.fidelity = "package.module:DECLARATION"`. The module is imported only by `hub verify`;
everything heavy (jax, mujoco) is imported inside its functions. `hub list` never imports it.

A complete one, for an engine with exact (discrete) rules::

    from hub import fidelity
    from hub.fidelity import Check, CheckResult, Declaration, Exact, Mutant, Reference, Sources

    def make_engine(num_envs):
        import gymnasium
        return gymnasium.make_vec("hub:acme/Coin-v0", num_envs, autoreset_mode="Disabled")

    def make_reference():
        from acme.slow import CoinPython
        return CoinPython()

    def wall_bounce(samples, seed):
        y = np.random.default_rng(seed).uniform(-20, 660, samples)
        return fidelity.compare(expected=slow_bounce(y), actual=fast_bounce(y))

    DECLARATION = Declaration(
        engine=make_engine,
        sources=Sources(package="acme", files=("coin.py",)),
        reference=Reference(make=make_reference, summary="acme's readable Python rules",
                            distributions={"numpy": "2.4.6"}, sources=("slow.py",)),
        components=(Check("wall bounce", wall_bounce),),
        interactions=(Check("bounce, then score", bounce_then_score),),
        rollouts=Exact(max_steps=5_000),
        transfer=Transfer(margin=1.0, return_threshold=10.0, budget=200_000,
                          fast_id="hub:acme/Coin-v0", reference_id="hub:acme/CoinPython-v0"),
        mutants=(Mutant("paddle-speed", "constant", "the paddle moves by 7 and not by 8",
                        lambda: fidelity.patched("acme.coin:PADDLE_SPEED", 7)), ...),
    )

Every random number that a check uses must come from the `seed` that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from hub.errors import DeclarationError
from hub.fidelity.actions import ActionSource, random_actions, sticky_actions

Env: TypeAlias = gymnasium.Env[Any, Any]
Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]

MutantKind: TypeAlias = Literal[
    "constant", "sign", "order", "missing case", "off-by-one", "lost randomness"
]

MIN_EPISODES = 1_000
MIN_POLICIES = 10
MIN_MUTANTS = 30


def _require(holds: bool, what: str, value: object, expected: str) -> None:
    if not holds:
        raise DeclarationError(f"{what} is {value!r}; expected {expected}")


def _at_least(what: str, value: int, least: int) -> None:
    _require(value >= least, what, value, f"at least {least}")


def _unique(what: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    _require(not twice, f"the name of more than one {what}", twice, "unique names")


@dataclass(frozen=True)
class Sources:
    """The files whose change makes a certificate stale.

    The module that holds the declaration is always hashed too: a tolerance or a margin that was
    changed after the run is no longer the one that was met.

    Attributes:
        package: Top-level import name of the package that holds the engine.
        files: Glob patterns, relative to the package's directory, of the engine's files that
            every installation carries (Python, tables). Each must match a file.
        compiled: Paths, relative to the package's directory, of sources that only a checkout
            carries (C, Rust); `..` is allowed, base names must differ.
        embedded: `"module:attribute"` of the `str` that the build put into the binary:
            `hub.fidelity.manifest_hash` of `compiled`. It stands in for `compiled` where a
            wheel carries none, and in a checkout shows a binary older than its sources.
    """

    package: str
    files: tuple[str, ...] = ()
    compiled: tuple[str, ...] = ()
    embedded: str = ""

    def __post_init__(self) -> None:
        _require(bool(self.package), "Sources.package", self.package, "an import name")
        _require(bool(self.files or self.compiled), "Sources", self, "at least one file")
        if self.compiled:
            _require(":" in self.embedded, "Sources.embedded", self.embedded, "'module:attribute'")


@dataclass(frozen=True)
class Reference:
    """What the engine is a translation of.

    Attributes:
        make: Returns one new reference environment (`gymnasium.Env`); no time limit wrapper is
            needed, `rollouts.max_steps` bounds every episode.
        summary: One sentence for the certificate and the report.
        distributions: Distribution name -> version that the declaration was written against.
            A certificate records those installed when it was made.
        sources: Glob patterns as in `Sources.files`, for a reference that lives in the same
            package (a readable Python version of the rules).
    """

    make: Callable[[], Env]
    summary: str
    distributions: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckResult:
    """What a check found.

    Attributes:
        cases: How many cases were compared; 0 fails, since it showed nothing.
        max_error: Largest error over them in the check's own measure; NaN fails.
        worst: The case of the largest error, in words that let somebody reproduce it.
    """

    cases: int
    max_error: float
    worst: str = ""


@dataclass(frozen=True)
class Check:
    """One named L1 (component) or L2 (interaction) check.

    Attributes:
        name: What is checked, unique within the declaration.
        run: `(samples, seed) -> CheckResult`; compares the engine with the reference, or with a
            property that the rules demand, on about `samples` cases drawn from `seed`. A
            handful of fixed cases may ignore both. An exception is a failure.
        tolerance: Largest error allowed; 0 for exact equality.
        samples: Cases asked for in a full run; `hub verify --sample` asks for fewer.
    """

    name: str
    run: Callable[[int, int], CheckResult]
    tolerance: float = 0.0
    samples: int = 1_000


@dataclass(frozen=True)
class Exact:
    """L3 for discrete rules: same seeds and actions, every step equal.

    Observation, reward, terminated and truncated are compared with `==` after both are brought
    to the dtype of the engine's space (rewards to float64); NaN equals NaN.

    Attributes:
        max_steps: An episode is compared up to this step.
        episodes: Full size, at least 1,000, shared out evenly among `actions`.
        lanes: Lanes of the engine that are compared at once.
        seed: Episode `i` is reset with `seed + i` on both sides.
        actions: Where actions come from; the same for both sides.
    """

    max_steps: int
    episodes: int = MIN_EPISODES
    lanes: int = 16
    seed: int = 0
    actions: tuple[ActionSource, ...] = (random_actions(), sticky_actions(0.9))

    def __post_init__(self) -> None:
        _at_least("Exact.episodes", self.episodes, MIN_EPISODES)
        _at_least("Exact.max_steps", self.max_steps, 1)
        _at_least("Exact.lanes", self.lanes, 1)
        _require(bool(self.actions), "Exact.actions", self.actions, "at least one action source")


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
    steps follow. A float32 engine is held to `Declaration.distributions` only.

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
        _at_least("TeacherForced.states", self.states, MIN_EPISODES)
        _at_least("TeacherForced.free_steps", self.free_steps, 1)
        _at_least("TeacherForced.steps_per_episode", self.steps_per_episode, self.free_steps + 1)
        _require(self.tolerance >= 0, "TeacherForced.tolerance", self.tolerance, "0 or more")
        _require(bool(self.actions), "TeacherForced.actions", self.actions, "at least one source")


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
        _at_least("Distributions.samples", self.samples, 256)
        _require(0 in self.horizons, "Distributions.horizons", self.horizons, "0 among them")


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
        trainer: Name under which a plugin registered it (`hub_register_trainers`).
        trainer_options: Keyword arguments for it (JSON values).
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
    trainer_options: Mapping[str, Any] = field(default_factory=dict)
    policies: int = MIN_POLICIES
    max_policies: int = 40
    pilot_episodes: int = 10
    max_episodes: int = 1_000
    alpha: float = 0.05
    power: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        _require(self.margin > 0, "Transfer.margin", self.margin, "more than 0")
        _require(0 < self.alpha < 0.5, "Transfer.alpha", self.alpha, "between 0 and 0.5")
        _require(0 < self.power < 1, "Transfer.power", self.power, "between 0 and 1")
        _at_least("Transfer.policies", self.policies, MIN_POLICIES)
        _at_least("Transfer.max_policies", self.max_policies, self.policies)
        _at_least("Transfer.pilot_episodes", self.pilot_episodes, 2)
        _at_least("Transfer.max_episodes", self.max_episodes, self.pilot_episodes)


@dataclass(frozen=True)
class Mutant:
    """One seeded bug for the engine under test.

    Attributes:
        name: Unique within the declaration.
        kind: What sort of bug.
        summary: What is wrong, in one sentence.
        inject: Returns a context manager; inside it, environments made by `Declaration.engine`
            and all that the checks call have the bug, and outside not (clear compilation
            caches on both edges: `jax.clear_caches()`). `hub.fidelity.patched` does it for a
            Python attribute; a C engine swaps in an extension built from an altered copy.
    """

    name: str
    kind: MutantKind
    summary: str
    inject: Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Declaration:
    """Everything that `hub verify` needs to know about one translation.

    Attributes:
        engine: `(num_envs) -> gymnasium.vector.VectorEnv` in autoreset mode DISABLED: lanes are
            reset with `reset(seed=[...], options={"reset_mask": mask})`, their seeds taken from
            the list. `gymnasium.vector.SyncVectorEnv` does for an engine without a vector form.
        sources: The engine's files.
        reference: What it is a translation of.
        components: L1.
        interactions: L2.
        rollouts: L3; `Exact` for discrete rules, `TeacherForced` for continuous ones.
        distributions: L3, second half.
        transfer: L4; None where no policy can be trained yet.
        mutants: Seeded bugs for `hub verify --mutants`, at least 30 for a first-party engine.
    """

    engine: Callable[[int], VectorEnv[Any, Any, Any]]
    sources: Sources
    reference: Reference
    components: tuple[Check, ...]
    interactions: tuple[Check, ...]
    rollouts: Exact | TeacherForced
    distributions: Distributions = Distributions()
    transfer: Transfer | None = None
    mutants: tuple[Mutant, ...] = ()

    def __post_init__(self) -> None:
        _require(bool(self.components), "Declaration.components", (), "at least one L1 check")
        _require(bool(self.interactions), "Declaration.interactions", (), "at least one L2 check")
        _unique("check", [check.name for check in (*self.components, *self.interactions)])
        _unique("mutant", [mutant.name for mutant in self.mutants])
