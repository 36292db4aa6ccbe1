"""The power calculation: against simulation, against a published size, and what it chooses."""

from __future__ import annotations

import numpy as np
import pytest

from hub.fidelity.equivalence import paired_tost
from hub.fidelity.plans import Transfer
from hub.fidelity.power import Spread, choose_sizes, estimate_spread, tost_power
from tests import need

need.module("scipy")


def plan(**changes: float) -> Transfer:
    given = {"margin": 1.0, "return_threshold": 0.0, "budget": 1, "max_steps": 1, **changes}
    return Transfer(fast_id="a", reference_id="b", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("sd", "pairs", "difference"), [(1.0, 10, 0.0), (1.5, 20, 0.2)])
def test_the_exact_power_is_what_simulation_finds(sd: float, pairs: int, difference: float) -> None:
    rng, runs = np.random.default_rng(3), 3_000
    samples = rng.normal(difference, sd, (runs, pairs))
    zeros = np.zeros(pairs)
    hits = sum(paired_tost(row, zeros, 1.0).verdict == "equivalent" for row in samples)
    power = tost_power(sd, pairs, 1.0, difference=difference)
    assert hits / runs == pytest.approx(power, abs=2.6 * np.sqrt(power * (1 - power) / runs))


def test_the_textbook_size_of_96_pairs_has_80_percent_power() -> None:
    # Margin 0.3 standard deviations, alpha 0.05, power 0.8: the normal approximation of Chow, Shao
    # and Wang (2007, formula 3.1.9) asks for 96 pairs; the exact power there is a shade below.
    assert tost_power(1.0, 96, 0.3) == pytest.approx(0.8, abs=0.005)
    assert tost_power(1.0, 97, 0.3) > 0.8


def test_no_spread_means_certainty() -> None:
    assert tost_power(0.0, 10, 1.0) == 1
    assert tost_power(1e-6, 10, 1.0) == pytest.approx(1)


def test_the_pilot_tells_policies_from_episodes() -> None:
    rng = np.random.default_rng(8)
    differences = rng.normal(0, 2, (400, 1)) + rng.normal(0, 5, (400, 30))
    spread = estimate_spread(differences)
    assert spread.between == pytest.approx(2, rel=0.15)
    assert spread.within == pytest.approx(5, rel=0.05)


def test_the_pilot_does_not_look_at_the_mean() -> None:
    differences = np.random.default_rng(8).normal(0, 1, (10, 10))
    moved = estimate_spread(differences + 50)
    assert moved.within == pytest.approx(estimate_spread(differences).within)


def test_more_episodes_are_chosen_before_more_policies() -> None:
    sizes = choose_sizes(Spread(between=0.0, within=10.0), plan())
    assert sizes.policies == 10
    assert sizes.enough
    assert sizes.power >= 0.9 > tost_power(10 / np.sqrt(sizes.episodes - 1), 10, 1.0)


def test_spread_between_policies_asks_for_more_policies() -> None:
    sizes = choose_sizes(Spread(between=1.2, within=1.0), plan())
    assert sizes.enough
    assert sizes.policies > 10


def test_a_row_that_cannot_pass_is_known_beforehand() -> None:
    # The paper's HalfCheetah row: standard deviation 500, margin 100, ten policies.
    sizes = choose_sizes(Spread(between=500.0, within=0.0), plan(margin=100.0))
    assert not sizes.enough
    assert sizes.power < 0.9
