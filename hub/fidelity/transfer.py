"""L4: policies trained on either side, evaluated on both, compared as pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hub.fidelity.declaration import Declaration
from hub.fidelity.equivalence import Tost, paired_tost, welch_tost
from hub.fidelity.evaluation import LANES, episode_returns, reference_lanes
from hub.fidelity.plans import Floats, Transfer
from hub.fidelity.power import Sizes, choose_sizes, estimate_spread, tost_power
from hub.fidelity.rollouts import Progress
from hub.fidelity.trainers import CurvePoint, Trainer, find_trainer
from hub.fidelity.training import Arm, ArmPolicies, train_arm

ARMS: tuple[Arm, Arm] = ("engine", "reference")
Trainers: TypeAlias = Mapping[Arm, Trainer]
# Evaluation seeds: the pilot's, the test's and training's own never meet.
PILOT, TEST = 1_000_000, 2_000_000


@dataclass(frozen=True)
class PolicyRow:
    """One policy, the unit of the test.

    Attributes:
        seed: It was trained with.
        engine: Mean return in the engine.
        reference: Mean return in the reference, over the same episode seeds.
        curve: Its learning curve.
    """

    seed: int
    engine: float
    reference: float
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class ArmReport:
    """One row of the transfer table: the policies trained on one side.

    Attributes:
        trained_in: `"engine"` or `"reference"`.
        equivalent: The paired TOST rejects on both sides.
        statement: The verdict in words.
        rejected: Policies that did not reach the declared return.
        sizes: What the power calculation chose.
        policies: One row a policy that counts.
        paired: The test that decides.
        welch: As if the two evaluations were independent, for comparison.
    """

    trained_in: Arm
    equivalent: bool
    statement: str
    rejected: int
    sizes: Sizes | None
    policies: tuple[PolicyRow, ...]
    paired: Tost | None
    welch: Tost | None


@dataclass(frozen=True)
class TransferReport:
    """Result of L4.

    Attributes:
        passed: Both rows are equivalent.
        margin: The plan's.
        plan: The terms, as they were declared before the run.
        episodes_from: First seed of the episodes that were tested.
        arms: Both rows.
    """

    passed: bool
    margin: float
    plan: Transfer
    episodes_from: int
    arms: tuple[ArmReport, ...]


def find_trainers(plan: Transfer) -> Trainers:
    """Load the trainer of each arm.

    Raises:
        MissingDependency: One is not registered, or its framework is not installed.
    """
    engine = find_trainer(plan.trainer)
    other = plan.reference_trainer
    return {"engine": engine, "reference": find_trainer(other) if other else engine}


class Sides:
    """Both sides with their lanes made once; evaluates the policy files of one trainer."""

    def __init__(self, declaration: Declaration, plan: Transfer, trainer: Trainer) -> None:
        self._plan, self._trainer = plan, trainer
        # A lane without an episode plays for nothing, which is dear in a slow reference.
        lanes = min(LANES, plan.pilot_episodes)
        self._envs: dict[Arm, Any] = {
            "engine": declaration.engine(lanes, **plan.engine_options),
            "reference": reference_lanes(declaration, lanes, **plan.reference_options),
        }

    def returns(self, policy: Path, arm: Arm, first_seed: int, episodes: int) -> Floats:
        """Returns of the policy on one side, `[episodes]`, seeds counted up from `first_seed`."""
        loaded = self._trainer.load_policy(policy, seed=first_seed)
        seeds = range(first_seed, first_seed + episodes)
        return episode_returns(self._envs[arm], loaded, seeds, self._plan.max_steps)

    def differences(self, policy: Path, first_seed: int, episodes: int) -> Floats:
        """Return in the engine minus return in the reference, episode by episode."""
        fast, reference = (self.returns(policy, arm, first_seed, episodes) for arm in ARMS)
        return fast - reference

    def close(self) -> None:
        """Close both environments."""
        for env in self._envs.values():
            env.close()


def run_transfer(
    declaration: Declaration,
    plan: Transfer,
    trainers: Trainers,
    work: Path,
    progress: Progress | None = None,
) -> TransferReport:
    """Train, size by power, evaluate and test both arms; `work` keeps the policies."""
    arms = []
    for arm in ARMS:
        sides = Sides(declaration, plan, trainers[arm])
        try:
            arms.append(_run_arm(arm, sides, plan, trainers[arm], work, progress))
        finally:
            sides.close()
    passed = all(arm.equivalent for arm in arms)
    return TransferReport(passed, plan.margin, plan, plan.seed + TEST, tuple(arms))


def _run_arm(
    arm: Arm,
    sides: Sides,
    plan: Transfer,
    trainer: Trainer,
    work: Path,
    progress: Progress | None,
) -> ArmReport:
    first = plan.seed + PILOT

    def pilot_returns(policy: Path, side: Arm) -> Floats:
        return sides.returns(policy, side, first, plan.pilot_episodes)

    policies = ArmPolicies(arm, [], [])
    train_arm(policies, plan.policies, trainer, plan, work, pilot_returns, progress)
    if len(policies.accepted) < plan.policies:
        return _too_few(policies, plan.policies, plan)
    # The spread does not depend on which side is taken from which.
    other: Arm = "reference" if arm == "engine" else "engine"
    pilot = [one.pilot - pilot_returns(one.policy, other) for one in policies.accepted]
    sizes = choose_sizes(estimate_spread(np.stack(pilot)), plan)
    if sizes.enough:
        train_arm(policies, sizes.policies, trainer, plan, work, pilot_returns, progress)
        if len(policies.accepted) < sizes.policies:
            return _too_few(policies, sizes.policies, plan)
    return _evaluate(policies, sizes, sides, plan, progress)


def _evaluate(
    policies: ArmPolicies, sizes: Sizes, sides: Sides, plan: Transfer, progress: Progress | None
) -> ArmReport:
    rows = []
    for number, candidate in enumerate(policies.accepted, start=1):
        means = [
            float(sides.returns(candidate.policy, side, plan.seed + TEST, sizes.episodes).mean())
            for side in ARMS
        ]
        rows.append(PolicyRow(candidate.seed, means[0], means[1], candidate.curve))
        if progress:
            progress("policies evaluated", number, len(policies.accepted))
    fast, reference = [row.engine for row in rows], [row.reference for row in rows]
    paired = paired_tost(fast, reference, plan.margin, plan.alpha)
    return ArmReport(
        trained_in=policies.arm,
        equivalent=paired.verdict == "equivalent",
        statement=statement(paired, sizes),
        rejected=len(policies.rejected),
        sizes=sizes,
        policies=tuple(rows),
        paired=paired,
        welch=welch_tost(fast, reference, plan.margin, plan.alpha),
    )


def _too_few(policies: ArmPolicies, wanted: int, plan: Transfer) -> ArmReport:
    tried = len(policies.accepted) + len(policies.rejected)
    text = (
        f"cannot pass: only {len(policies.accepted)} of {tried} trained policies reached a return "
        f"of {plan.return_threshold:g}, {wanted} are needed"
    )
    return ArmReport(policies.arm, False, text, len(policies.rejected), None, (), None, None)


def statement(test: Tost, sizes: Sizes) -> str:
    """The verdict of a row in words; a row that cannot pass says so."""
    low, high = test.interval
    seen = f"difference {test.difference:.4g}, {1 - 2 * test.alpha:.0%} interval "
    seen += f"[{low:.4g}, {high:.4g}], margin {test.margin:g}, p = {test.p:.2g}"
    if test.verdict == "equivalent":
        return f"equivalent: {seen}"
    if test.verdict == "different":
        return f"different by more than the margin: {seen}"
    if abs(test.difference) >= test.margin:
        return f"cannot pass: the observed difference is outside the margin already; {seen}"
    if not sizes.enough:
        return (
            f"cannot pass reliably: even {sizes.policies} policies of {sizes.episodes} episodes "
            f"have a power of {sizes.power:.0%} only; {seen}"
        )
    return f"not shown, which is no evidence either way: {seen}"


@dataclass(frozen=True)
class OwnPolicyReport:
    """One policy file of the user's: the unit is the episode, so it speaks of this policy only.

    Attributes:
        policy: The file's name.
        equivalent: The paired TOST over episodes rejects on both sides.
        episodes: Episode pairs, chosen by power from a pilot.
        power: At that size.
        test: The test.
    """

    policy: str
    equivalent: bool
    episodes: int
    power: float
    test: Tost


def run_own_policy(
    declaration: Declaration, plan: Transfer, trainer: Trainer, policy: Path
) -> OwnPolicyReport:
    """Evaluate one policy file on both sides, paired by episode seed."""
    sides = Sides(declaration, plan, trainer)
    try:
        pilot = sides.differences(policy, plan.seed + PILOT, max(plan.pilot_episodes, 30))
        sd, episodes = float(pilot.std(ddof=1)), pilot.size
        while tost_power(sd, episodes, plan.margin, plan.alpha) < plan.power:
            if episodes >= plan.max_episodes:
                break
            episodes = min(2 * episodes, plan.max_episodes)
        values = [sides.returns(policy, arm, plan.seed + TEST, episodes) for arm in ARMS]
    finally:
        sides.close()
    test = paired_tost(values[0], values[1], plan.margin, plan.alpha)
    power = tost_power(sd, episodes, plan.margin, plan.alpha)
    return OwnPolicyReport(policy.name, test.verdict == "equivalent", episodes, power, test)
