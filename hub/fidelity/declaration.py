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
                            distributions={"numpy": "2.4.6"},
                            sources=Sources("acme", ("slow.py",))),
        components=(Check("wall bounce", wall_bounce),),
        interactions=(Check("bounce, then score", bounce_then_score),),
        rollouts=Exact(max_steps=5_000),
        transfer=Transfer(margin=1.0, return_threshold=10.0, budget=200_000,
                          fast_id="hub:acme/Coin-v0", reference_id="hub:acme/CoinPython-v0",
                          max_steps=5_000),
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

from gymnasium.vector import VectorEnv

from hub.fidelity.plans import Distributions, Env, Exact, TeacherForced, Transfer
from hub.fidelity.requirements import require, unique

MutantKind: TypeAlias = Literal[
    "constant", "sign", "order", "missing case", "off-by-one", "lost randomness"
]

MIN_MUTANTS = 30


@dataclass(frozen=True)
class Sources:
    """The files whose change makes a certificate stale.

    The module that holds the declaration is always hashed too: a tolerance or a margin that was
    changed after the run is no longer the one that was met.

    Attributes:
        package: Top-level import name of the package that holds the engine.
        files: Glob patterns, relative to the package's directory, of the engine's files that
            every installation carries (Python, tables), and of modules that hold its checks,
            which are part of what was shown. Each must match a file.
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
        require(bool(self.package), "Sources.package", self.package, "an import name")
        require(bool(self.files or self.compiled), "Sources", self, "at least one file")
        if self.compiled:
            require(":" in self.embedded, "Sources.embedded", self.embedded, "'module:attribute'")


@dataclass(frozen=True)
class Reference:
    """What the engine is a translation of.

    Attributes:
        make: `(**options)` returns one new reference environment (`gymnasium.Env`) with the
            engine's time limit, if it has one; `rollouts.max_steps` bounds the comparison
            besides. It need take only the options that the plans name.
        summary: One sentence for the certificate and the report.
        distributions: Distribution name -> version that the declaration was written against.
            A certificate records those installed when it was made.
        sources: The files whose change makes a certificate stale, for a reference that lives in
            this tree (a readable Python version of the rules, another engine).
    """

    make: Callable[..., Env]
    summary: str
    distributions: Mapping[str, str] = field(default_factory=dict)
    sources: Sources | None = None


@dataclass(frozen=True)
class Peer:
    """A further implementation of the same rules, compared in L3 where it can be made.

    Where it cannot, the level says so and does not fail: nothing that a certificate needs hangs
    on somebody else's package.

    Attributes:
        name: For the certificate and the report, unique within the declaration.
        make: `(**options)` returns one new `gymnasium.Env` to which a seed means what it means to
            the engine; it takes the options that `rollouts` names. It raises ImportError or
            `DependencyNotInstalled` where it cannot be made; the text becomes the reason.
        summary: One sentence.
        rollouts: Episodes, actions and options, as for the reference.
        distributions: Distribution name -> version that the declaration was written against.
            The certificate records those installed when it was made.
        tolerance: Largest difference of an observed float that counts as none, for a peer that
            rounds otherwise; 0 for equality. Reward and flags are compared exactly.
        last_observation: Whether it shows the observation of an episode's last step. One that
            resets itself within that step does not.
    """

    name: str
    make: Callable[..., Env]
    summary: str
    rollouts: Exact
    distributions: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.0
    last_observation: bool = True

    def __post_init__(self) -> None:
        require(self.tolerance >= 0, "Peer.tolerance", self.tolerance, "0 or more")


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
        engine: `(num_envs, **options) -> gymnasium.vector.VectorEnv` in autoreset mode DISABLED:
            lanes are reset with `reset(seed=[...], options={"reset_mask": mask})`, their seeds
            taken from the list. It need take only the options that the plans name.
            `gymnasium.vector.SyncVectorEnv` does for an engine without a vector form.
        sources: The engine's files.
        reference: What it is a translation of.
        components: L1.
        interactions: L2.
        rollouts: L3; `Exact` for discrete rules, `TeacherForced` for continuous ones.
        distributions: L3, second half.
        peers: L3, further implementations, where they can be made.
        transfer: L4; None where no policy can be trained yet.
        mutants: Seeded bugs for `hub verify --mutants`, at least 30 for a first-party engine.
    """

    engine: Callable[..., VectorEnv[Any, Any, Any]]
    sources: Sources
    reference: Reference
    components: tuple[Check, ...]
    interactions: tuple[Check, ...]
    rollouts: Exact | TeacherForced
    distributions: Distributions = field(default_factory=Distributions)
    transfer: Transfer | None = None
    mutants: tuple[Mutant, ...] = ()
    peers: tuple[Peer, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.components), "Declaration.components", (), "at least one L1 check")
        require(bool(self.interactions), "Declaration.interactions", (), "at least one L2 check")
        unique("check", [check.name for check in (*self.components, *self.interactions)])
        unique("mutant", [mutant.name for mutant in self.mutants])
        unique("peer", [peer.name for peer in self.peers])
