"""A declaration that stands in another package than its engine."""

from __future__ import annotations

from typing import Any

import gymnasium

from hub.fidelity import Check, CheckResult, Declaration, Exact, Reference, Sources


def _nothing(samples: int, seed: int) -> CheckResult:
    return CheckResult(0, 0.0)


def _no_engine(num_envs: int) -> Any:
    raise AssertionError("never made")


DECLARATION = Declaration(
    engine=_no_engine,
    sources=Sources("toystrip", ("engine.py",)),
    reference=Reference(lambda: gymnasium.make("CartPole-v1"), "none"),
    components=(Check("a", _nothing),),
    interactions=(Check("b", _nothing),),
    rollouts=Exact(max_steps=1),
)
