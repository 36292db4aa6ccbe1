"""The fidelity ladder: proof, level by level, that a translation equals its reference."""

from hub.fidelity.actions import (
    ActionSource,
    policy_actions,
    random_actions,
    saturated_actions,
    sticky_actions,
)
from hub.fidelity.checks import compare
from hub.fidelity.declaration import (
    Check,
    CheckResult,
    Declaration,
    Mutant,
    Peer,
    Reference,
    Sources,
)
from hub.fidelity.ladder import Run
from hub.fidelity.patching import patched
from hub.fidelity.plans import Distributions, Exact, TeacherForced, Transfer, relative_norm
from hub.fidelity.recipes import Recipe, find_recipe
from hub.fidelity.rollouts import Difference, Terms, replay
from hub.fidelity.sources import manifest_hash
from hub.fidelity.standing import Status, status
from hub.fidelity.trainers import CurvePoint, Policy, Trained, Trainer, find_trainer
from hub.fidelity.verifying import Verification, verify

__all__ = [
    "ActionSource",
    "Check",
    "CheckResult",
    "CurvePoint",
    "Declaration",
    "Difference",
    "Distributions",
    "Exact",
    "Mutant",
    "Peer",
    "Policy",
    "Recipe",
    "Reference",
    "Run",
    "Sources",
    "Status",
    "TeacherForced",
    "Terms",
    "Trained",
    "Trainer",
    "Transfer",
    "Verification",
    "compare",
    "find_recipe",
    "find_trainer",
    "manifest_hash",
    "patched",
    "policy_actions",
    "random_actions",
    "relative_norm",
    "replay",
    "saturated_actions",
    "status",
    "sticky_actions",
    "verify",
]
