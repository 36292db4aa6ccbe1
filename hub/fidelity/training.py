"""The policies of L4: trained until enough of them reach the declared return."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hub.fidelity.plans import Floats, Transfer
from hub.fidelity.trainers import CurvePoint, Trained, Trainer

Arm: TypeAlias = Literal["engine", "reference"]
Evaluate: TypeAlias = Callable[[Path, Arm], Floats]
"""`(policy file, side) -> returns`, on the pilot's seeds."""

NOTE = "trained.json"


@dataclass(frozen=True)
class Candidate:
    """A trained policy.

    Attributes:
        seed: It was trained with.
        policy: Its file.
        curve: Its learning curve.
        pilot: Returns of the pilot's episodes where it was trained, `[episodes]`.
    """

    seed: int
    policy: Path
    curve: tuple[CurvePoint, ...]
    pilot: Floats


@dataclass
class ArmPolicies:
    """The policies of one arm: those that count and those that did not reach the return."""

    arm: Arm
    accepted: list[Candidate]
    rejected: list[Candidate]


def train_arm(
    policies: ArmPolicies,
    wanted: int,
    trainer: Trainer,
    plan: Transfer,
    work: Path,
    evaluate: Evaluate,
    progress: Callable[[str, int, int], None] | None,
) -> None:
    """Train until `wanted` policies count; give up after twice as many trainings.

    Training seeds follow each other from `plan.seed`, the same in both arms. What training
    leaves in `work` is used again when it was made by the same call.
    """
    tried = len(policies.accepted) + len(policies.rejected)
    while len(policies.accepted) < wanted and tried < 2 * wanted:
        if progress:
            progress(f"policies trained in the {policies.arm}", len(policies.accepted), wanted)
        seed = plan.seed + tried
        out = work / policies.arm / str(seed)
        trained = _train(trainer, call_of(policies.arm, seed, plan), out)
        pilot = evaluate(trained.policy, policies.arm)
        candidate = Candidate(seed, trained.policy, trained.curve, pilot)
        reached = float(pilot.mean()) >= plan.return_threshold
        (policies.accepted if reached else policies.rejected).append(candidate)
        tried += 1


def call_of(arm: Arm, seed: int, plan: Transfer) -> dict[str, Any]:
    """All that decides how one policy is trained, as JSON values."""
    engine = arm == "engine"
    options = dict(plan.trainer_options)
    if env_options := plan.engine_options if engine else plan.reference_options:
        options["env_options"] = dict(env_options)
    return {
        "trainer": plan.trainer if engine else plan.reference_trainer or plan.trainer,
        "env_id": plan.fast_id if engine else plan.reference_id,
        "seed": seed,
        "budget": plan.budget,
        "options": options,
    }


def _train(trainer: Trainer, call: dict[str, Any], out: Path) -> Trained:
    note = out / NOTE
    if note.is_file() and (kept := json.loads(note.read_text()))["call"] == call:
        return _from_note(out, kept)
    out.mkdir(parents=True, exist_ok=True)
    trained = trainer.train(
        call["env_id"], seed=call["seed"], budget=call["budget"], out=out, **call["options"]
    )
    curve = [asdict(point) for point in trained.curve]
    policy = trained.policy.relative_to(out).as_posix()
    note.write_text(json.dumps({"call": call, "policy": policy, "curve": curve}))
    return trained


def _from_note(out: Path, kept: Mapping[str, Any]) -> Trained:
    return Trained(out / kept["policy"], tuple(CurvePoint(**point) for point in kept["curve"]))
