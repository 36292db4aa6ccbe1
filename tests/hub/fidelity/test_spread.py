"""Distributions of reset states (bug row 11) and of later observations."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

from hub.errors import DeclarationError
from hub.fidelity import Distributions, patched
from hub.fidelity.spread import run_distributions
from tests import need

need.module("scipy")


def test_equal_distributions_pass_at_every_horizon(strip: ModuleType) -> None:
    report = run_distributions(strip.DECLARATION, Distributions(horizons=(0, 1, 5)))
    assert report.passed, report.differing
    assert report.components == 6
    assert report.varying == 6


@pytest.mark.parametrize(
    ("spawn", "reason"),
    [
        (lambda seed, draws: (3, 9), "does not vary between seeds"),
        (
            lambda seed, draws: (2 + draws % 3, 8 + int(seed) % 4) if draws else (3, 8 + seed % 4),
            "does not vary between seeds",
        ),
        (lambda seed, draws: (2 + int(seed) % 3, 8 + int(seed) % 4), "between episodes"),
    ],
)
def test_lost_randomness_is_found(strip: ModuleType, spawn: object, reason: str) -> None:
    with patched("toystrip.engine:spawn", spawn):
        report = run_distributions(strip.DECLARATION, Distributions())
    assert not report.passed
    assert reason in report.differing[0].reason
    assert report.smallest_p == 0


def test_another_spread_is_found_though_it_varies(strip: ModuleType) -> None:
    from toystrip import engine

    def narrow(seed: int, draws: int) -> tuple[int, int]:
        x, target = true(seed, draws)
        return x, 10 if target < 11 else 11

    true = engine.spawn
    with patched("toystrip.engine:spawn", narrow):
        report = run_distributions(strip.DECLARATION, Distributions())
    assert [part.index for part in report.differing] == [1]
    assert 0 < report.differing[0].p < report.threshold


def test_a_wrong_constant_and_added_randomness_are_found(strip: ModuleType) -> None:
    from toystrip import engine, reference

    class Fixed(reference.StripReference):
        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.x = 3
            return self._observe(), {}

    true = engine.spawn
    fixed = replace(strip.DECLARATION.reference, make=Fixed)
    declaration = replace(strip.DECLARATION, reference=fixed)
    report = run_distributions(declaration, Distributions())
    assert report.differing[0].reason == "constant in the reference"
    with patched("toystrip.engine:spawn", lambda s, d: (4, true(s, d)[1])):
        report = run_distributions(declaration, Distributions())
    assert report.differing[0].reason == "another constant"


def test_chance_alone_rarely_fails_a_faithful_engine(strip: ModuleType) -> None:
    passed = [
        run_distributions(strip.DECLARATION, Distributions(seed=seed)).passed for seed in range(20)
    ]
    assert np.mean(passed) == 1


def test_horizon_zero_is_not_optional() -> None:
    with pytest.raises(DeclarationError, match="expected 0 among them"):
        Distributions(horizons=(3,))
