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
    Reference,
    Sources,
)
from hub.fidelity.patching import patched
from hub.fidelity.plans import Distributions, Exact, TeacherForced, Transfer, relative_norm
from hub.fidelity.sources import manifest_hash
from hub.fidelity.trainers import CurvePoint, Policy, Trained, Trainer

__all__ = [
    "ActionSource",
    "Check",
    "CheckResult",
    "CurvePoint",
    "Declaration",
    "Distributions",
    "Exact",
    "Mutant",
    "Policy",
    "Reference",
    "Sources",
    "TeacherForced",
    "Trained",
    "Trainer",
    "Transfer",
    "compare",
    "manifest_hash",
    "patched",
    "policy_actions",
    "random_actions",
    "relative_norm",
    "saturated_actions",
    "sticky_actions",
]
