"""The two-player duel, from a key and from a tape recorded by an independent reference."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hub.functional import Tape, draw, make_tape
from tests.hub.functional.games import CHARGE, FIRST, HEALTH, PASS, STRIKE, duel


class Reference:
    """The duel in plain Python; records its draws as (value, tag)."""

    def __init__(self, seed, together):
        self.rng, self.together, self.tape = random.Random(seed), together, []
        first = self.draw(0, 1, FIRST)
        self.movers = [0, 1] if together else [first]
        self.health, self.energy = [HEALTH, HEALTH], [1, 1]

    def draw(self, low, high, tag):
        self.tape.append((self.rng.randint(low, high), tag))
        return self.tape[-1][0]

    def legal(self, player):
        if player not in self.movers:
            return [PASS]
        energy = self.energy[player]
        return [PASS] + [STRIKE] * (energy > 0) + [CHARGE] * (energy < 3)

    def step(self, actions):
        hurt = [0, 0]
        for player in self.movers:
            if actions[player] == STRIKE:
                hurt[1 - player] = self.draw(1, 6, player)
                self.energy[player] -= 1
            self.energy[player] += actions[player] == CHARGE
        self.health = [max(0, h - d) for h, d in zip(self.health, hurt, strict=True)]
        if not self.together:
            self.movers = [1 - self.movers[0]]
        dead = [h == 0 for h in self.health]
        return [dead[1] - dead[0], dead[0] - dead[1]], any(dead)


def play(seed, together):
    """Play the reference; per step: actions, its draws, and what it showed."""
    game, chooser, steps, over = Reference(seed, together), random.Random(seed + 1), [], False
    start = list(game.tape)
    while not over:
        actions = [chooser.choice(game.legal(player)) for player in (0, 1)]
        before = len(game.tape)
        rewards, over = game.step(actions)
        shown = (list(game.health), list(game.energy), list(game.movers))
        masks = [[a in game.legal(p) for a in range(3)] for p in (0, 1)]
        steps.append((actions, game.tape[before:], rewards, over, shown, masks))
    return start, steps


def tape(draws, width=2, spare=99):
    padded = draws + [(0, spare)] * (width - len(draws))
    return make_tape(*zip(*padded, strict=True))


@pytest.mark.parametrize("together", [True, False])
def test_a_tape_reproduces_the_reference_to_the_last_bit(together):
    env = duel(together)
    init, step = jax.jit(env.init), jax.jit(env.step)
    for seed in range(20):
        start, steps = play(seed, together)
        state = init(tape(start), None)
        for actions, draws, rewards, over, shown, masks in steps:
            moved = step(tape(draws), state, jnp.array(actions), None)
            state, told = moved.state, moved.info
            movers = np.flatnonzero(told["to_move"]).tolist()
            assert (state.health.tolist(), state.energy.tolist(), movers) == shown
            assert (moved.reward.tolist(), bool(moved.terminated)) == (rewards, over)
            assert told["action_mask"].tolist() == masks
            assert not told["tape"].fault
            assert told["tape"].cursor == len(draws)


@pytest.mark.parametrize(
    "draws",
    [[(3, 1)], [(9, 0)], [(0, 0)]],
    ids=["another's roll", "too high", "too low"],
)
def test_a_roll_that_does_not_fit_is_a_fault(draws):
    env = duel(True)
    state = env.init(jax.random.key(0), None)
    moved = env.step(tape(draws), state, jnp.array([STRIKE, PASS]), None)
    assert moved.info["tape"].fault
    unread = env.step(tape(draws), state, jnp.array([PASS, PASS]), None)
    assert not unread.info["tape"].fault
    assert unread.info["tape"].cursor == 0


def test_a_tape_that_is_too_short_is_a_fault():
    once = make_tape([3], [0])
    _, once = draw(once, 1, 7, tag=0)
    assert not once.fault
    _, once = draw(once, 1, 7, tag=0)
    assert once.fault


def test_tapes_are_taken_apart_by_vmap_and_scan():
    tapes = make_tape([[1, 2], [3, 4]], [[0, 0], [0, 0]])
    values = jax.vmap(lambda one: draw(one, 1, 7)[0])(tapes)
    assert values.tolist() == [1, 3]
    assert isinstance(jax.tree.map(lambda leaf: leaf[0], tapes), Tape)


@pytest.mark.parametrize("rolls", [3, [], [[1, 2]]])
def test_rolls_and_tags_of_different_shape_are_refused(rolls):
    with pytest.raises(ValueError, match="must have one shape"):
        make_tape(rolls, [1, 2])


def test_draws_from_a_key_are_uniform_and_independent():
    def two(key):
        one, key = draw(key, 0, 6)
        return one, draw(key, 0, 6)[0]

    first, second = jax.vmap(two)(jax.random.split(jax.random.key(0), 6000))
    for values in (first, second, (first + second) % 6):
        counts = np.bincount(values, minlength=6)
        assert np.all(np.abs(counts - 1000) < 130), "4.5 standard deviations"
