"""JAX Pong against C Pong by the ladder: its checks, its mutants, its hash."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hub.errors import DeclarationError
from hub.fidelity import Run
from hub.fidelity.checks import run_check
from hub.fidelity.ladder import level_reached, run_ladder
from hub.fidelity.mutants import run_mutants
from hub.plugins import load
from tests import need

pytestmark = pytest.mark.native
need.module("scipy")
need.module("hub_pong._core")
from hub_jax import pong, threefry  # noqa: E402 - only once the reference is known to be there
from hub_jax.pong_ladder import interactions, moments, mutants  # noqa: E402 - likewise
from hub_jax.pong_ladder.fidelity import DECLARATION  # noqa: E402 - likewise
from hub_jax.pong_ladder.mutated import ENGINE, mutated  # noqa: E402 - likewise

SEED = 11
REFERENCE = load("hub_pong.fidelity:DECLARATION")
RALLIES = {check.name: check for check in DECLARATION.interactions}["games"]


@pytest.mark.parametrize("check", DECLARATION.components, ids=lambda check: check.name)
def test_each_rule_equals_c_pongs(check):
    report = run_check(check, SEED)
    assert report.cases >= 1000
    assert report.passed, report.detail


def test_games_side_by_side_are_equal():
    report = run_check(RALLIES, SEED, sample=0.3)
    assert report.cases > 50_000
    assert report.passed, report.detail


def test_the_checks_reach_the_ends_of_games_under_both_rule_sets():
    for puffer in (False, True):
        drawn = moments.draw_moments(2000, SEED, puffer)
        outcome = moments.step_reference(
            interactions.misses(drawn, np.random.default_rng(SEED)),
        )
        assert 300 < outcome.over.sum() < 1700
        assert set(np.unique(outcome.rewards)) >= {-1.0, 1.0}


def test_a_moment_is_put_into_c_pong_as_it_is():
    drawn = moments.draw_moments(300, SEED, puffer=True, frame_skip=3)
    env = moments.reference_at(drawn)
    lanes = moments.reference_state(env)
    np.testing.assert_array_equal(lanes["values"], drawn.values)
    np.testing.assert_array_equal(lanes["seed"], drawn.seeds)
    np.testing.assert_array_equal(lanes["draws"], drawn.draws)
    ours = moments.our_state(drawn)
    np.testing.assert_array_equal(moments.our_values(ours), drawn.values)
    np.testing.assert_array_equal(moments.our_draws(ours), drawn.draws)
    env.close()


def test_there_are_thirty_mutants_of_every_kind():
    kinds = Counter(mutant.kind for mutant in DECLARATION.mutants)
    assert sum(kinds.values()) >= 30
    assert set(kinds) == {
        *("constant", "sign", "order", "missing case", "off-by-one", "lost randomness")
    }


def test_every_edit_is_found_exactly_once():
    texts = {module.__name__: Path(module.__file__).read_text() for module in (pong, threefry)}
    assert set(texts) == set(ENGINE)
    for name, _, _, module, old, _ in mutants.EDITS:
        assert texts[module].count(old) == 1, name


@pytest.mark.parametrize(
    ("name", "check"),
    [("spin", "the agent returns with spin or misses"), ("parity", "draws are Threefry's")],
)
def test_a_mutant_is_caught_while_it_lives_and_gone_afterwards(name, check):
    mutant = next(m for m in DECLARATION.mutants if m.name == name)
    rule = next(c for c in DECLARATION.components if c.name == check)
    before = dict(vars(pong)), dict(vars(threefry))
    with mutant.inject():
        assert not run_check(rule, SEED).passed
    assert (dict(vars(pong)), dict(vars(threefry))) == before
    assert run_check(rule, SEED).passed


def test_an_unaltered_copy_passes_where_mutants_fail():
    with mutated("hub_jax.pong", "MAX_SCORE = 21", "MAX_SCORE = 20 + 1"):
        report = run_ladder(DECLARATION, Run(level=1, sample=0.2))[0]
    assert report.state == "passed", report.detail


def test_an_edit_must_be_found_exactly_once():
    with (
        pytest.raises(DeclarationError, match=r"0 times in hub_jax\.pong"),
        mutated("hub_jax.pong", "no such text", ""),
    ):
        pass


def test_the_certificate_covers_every_source_of_c_pong():
    assert DECLARATION.reference.sources.compiled == REFERENCE.sources.compiled
    assert DECLARATION.reference.sources.embedded == REFERENCE.sources.embedded


def test_both_pongs_are_carried_across_under_the_same_terms():
    ours, theirs = DECLARATION.transfer, REFERENCE.transfer
    for name in ("margin", "return_threshold", "budget", "trainer_options", "engine_options"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.engine_options == ours.reference_options


@pytest.mark.slow
def test_a_sample_of_three_levels_passes():
    reports = run_ladder(DECLARATION, Run(level=3, sample=0.02))
    assert level_reached(reports) == 3, reports[-1].detail


@pytest.mark.slow
@pytest.mark.timeout(1_200)  # 56 engines are compiled
def test_every_mutant_is_caught():
    report = run_mutants(DECLARATION, Run(sample=0.1))
    assert report.survivors == ()
    assert report.passed
