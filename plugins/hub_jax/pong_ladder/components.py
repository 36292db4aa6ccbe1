"""L1 checks of JAX Pong: each rule alone, on moments chosen so that it acts, and each random draw.

Every rule is checked under both rule sets, and only what it decides is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from hub import threefry as plain
from hub.fidelity import Check, CheckResult, compare
from hub.functional import lane_keys
from hub_jax import pong, threefry
from hub_jax.pong_ladder.moments import (
    NAMES,
    WORD,
    Moments,
    Outcomes,
    draw_moments,
    our_draws,
    our_state,
    our_values,
    reference_at,
    reference_state,
    step_ours,
    step_reference,
)

Place = Callable[[Moments, np.random.Generator], Moments]
BALL_FRAME = 2 * pong.BALL_SPEED_X  # the ball meets an end within two frames


def midcourt(moments: Moments, rng: np.random.Generator) -> Moments:
    """Put the ball far from every edge."""
    size = len(moments.values)
    return moments.where(x=rng.integers(100, 300, size), y=rng.integers(100, 500, size))


def at_limits(moments: Moments, rng: np.random.Generator) -> Moments:
    """Put both paddles within a move of a limit."""
    size = len(moments.values)
    outside = pong.PADDLE_HEIGHT // 2 if moments.puffer else 0
    far = pong.HEIGHT - pong.PADDLE_HEIGHT + outside
    inwards = rng.integers(0, 12, (2, size))
    sides = np.where(rng.random((2, size)) < 0.5, inwards - outside, far - inwards)
    return moments.where(left=sides[0], right=sides[1], x=rng.integers(50, 400, size))


def at_walls(moments: Moments, rng: np.random.Generator) -> Moments:
    """Put the ball within a frame of the lower or upper wall, far from the ends."""
    size = len(moments.values)
    near = rng.integers(0, 15, size)
    y = np.where(rng.random(size) < 0.5, near, pong.FAR_Y - near)
    return moments.where(x=rng.integers(50, 400, size), y=y)


def left_end(moments: Moments, rng: np.random.Generator) -> Moments:
    """Fly the ball at the opponent, who meets, grazes or just misses it."""
    size = len(moments.values)
    y = rng.integers(60, 540, size)
    paddle = moments.values[:, NAMES.index("vy")] + y + rng.integers(-72, 36, size)
    x = rng.integers(0, BALL_FRAME + 1, size)
    return moments.where(x=x, vx=-pong.BALL_SPEED_X, y=y, left=paddle)


def right_end(moments: Moments, rng: np.random.Generator) -> Moments:
    """Fly the ball at the agent, likewise; spin makes many of the balls level or very steep."""
    size = len(moments.values)
    usual = moments.values[:, NAMES.index("vy")]
    vy = np.where(rng.random(size) < 0.5, rng.choice([-13, -12, -3, 3, 12, 13], size), usual)
    y = rng.integers(60, 540, size)
    x = pong.FAR_X - rng.integers(0, BALL_FRAME + 1, size)
    paddle = vy + y + rng.integers(-72, 36, size)
    return moments.where(x=x, vx=pong.BALL_SPEED_X, y=y, vy=vy, right=paddle)


def misses(moments: Moments, rng: np.random.Generator) -> Moments:
    """Lose the ball on either side, often for the last point."""
    size = len(moments.values)
    y = rng.integers(200, 400, size)
    left = rng.random(size) < 0.5
    scores = np.where(rng.random((2, size)) < 0.5, pong.MAX_SCORE - 1, moments.values[:, 6:].T)
    return moments.where(
        x=np.where(left, rng.integers(0, 9, size), pong.FAR_X - rng.integers(0, 9, size)),
        y=y,
        vx=np.where(left, -pong.BALL_SPEED_X, pong.BALL_SPEED_X),
        left=(y + 300) % 560,
        right=(y + 300) % 560,
        lost=scores[0],
        won=scores[1],
    )


def _columns(*names: str) -> Callable[[Outcomes], NDArray[Any]]:
    return lambda outcome: outcome.values[:, [NAMES.index(name) for name in names]]


def _end(outcome: Outcomes) -> NDArray[Any]:
    """Ball and reward, the ball only where no point ended the rally."""
    point = (np.abs(outcome.rewards) == 1)[:, None]
    return np.hstack([np.where(point, 0, outcome.values[:, 2:6]), outcome.rewards[:, None]])


def _points(outcome: Outcomes) -> NDArray[Any]:
    return np.column_stack([outcome.values[:, 6:], outcome.rewards, outcome.over])


def _serve(outcome: Outcomes) -> NDArray[Any]:
    """Paddles and ball after a point, and how many draws were used."""
    return np.column_stack([outcome.values[:, :6], outcome.draws.astype(np.float64)])


def rule(name: str, place: Place, fields: Callable[[Outcomes], NDArray[Any]]) -> Check:
    """Return the check of one rule: `fields` of one step from placed moments, both rule sets."""

    def run(samples: int, seed: int) -> CheckResult:
        wanted, actual = [], []
        for puffer in (False, True):
            rng = np.random.default_rng([seed, puffer])
            moments = place(draw_moments(samples, seed + puffer, puffer), rng)
            wanted.append(fields(step_reference(moments)))
            actual.append(fields(step_ours(moments)))
        return compare(np.concatenate(wanted), np.concatenate(actual), "moment")

    return Check(name, run)


def _numbers(samples: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw 64-bit numbers of every size, half of them about a border of the lower word."""
    any_size = rng.integers(0, 1 << 64, samples, dtype=np.uint64) >> rng.integers(
        0, 64, samples, dtype=np.uint64
    )
    border = (rng.integers(1, 1 << 20, samples).astype(np.uint64) << WORD) - np.uint64(1)
    return np.where(rng.random(samples) < 0.5, any_size, border)


def words(samples: int, seed: int) -> CheckResult:
    """Draws are those of `hub.threefry`, for seeds and numbers of any size; the count carries."""
    rng = np.random.default_rng(seed)
    seeds, numbers = _numbers(samples, rng), _numbers(samples, rng)
    low, mask = np.uint64(0xFFFFFFFF), rng.random(samples) < 0.5
    parts = [jnp.asarray((v & low).astype(np.uint32)) for v in (seeds, seeds >> WORD)]
    parts += [jnp.asarray((v & low).astype(np.uint32)) for v in (numbers, numbers >> WORD)]
    got, after = jax.jit(jax.vmap(threefry.draw))(threefry.Stream(*parts), mask)
    wanted = [plain.draw(int(s), int(n)) for s, n in zip(seeds, numbers, strict=True)]
    counts = np.column_stack([np.asarray(after.draws_low), np.asarray(after.draws_high)])
    moved = numbers + mask.astype(np.uint64)
    return compare(
        np.column_stack([wanted, moved & low, moved >> WORD]),
        np.column_stack([np.asarray(got), counts]),
        "draw",
    )


def first_serves(samples: int, seed: int) -> CheckResult:
    """A seeded reset starts the lane's stream anew and serves its first draw."""
    rng = np.random.default_rng(seed)
    wanted, actual = [], []
    for puffer in (False, True):
        moments = draw_moments(samples, seed, puffer)
        seeds = _numbers(samples, rng)
        reference = reference_at(moments)
        reference.reset(seed=[int(s) for s in seeds])
        env = pong.pong(**moments.options)
        ours = jax.jit(jax.vmap(lambda key, env=env: env.init(key, None)))(lane_keys(seeds))
        wanted.append(_started(reference_state(reference)))
        actual.append(np.column_stack([our_values(ours), our_draws(ours).astype(np.float64)]))
        reference.close()
    return compare(np.concatenate(wanted), np.concatenate(actual), "lane")


def next_episodes(samples: int, seed: int) -> CheckResult:
    """A reset without a seed clears the score and serves the stream's next draw."""
    wanted, actual = [], []
    for puffer in (False, True):
        moments = draw_moments(samples, seed, puffer)
        reference = reference_at(moments)
        reference.reset()
        env = pong.pong(**moments.options)
        again = jax.jit(jax.vmap(lambda state, env=env: env.begin(None, state, None)))
        ours = again(our_state(moments))
        wanted.append(_started(reference_state(reference)))
        actual.append(np.column_stack([our_values(ours), our_draws(ours).astype(np.float64)]))
        reference.close()
    return compare(np.concatenate(wanted), np.concatenate(actual), "lane")


def _started(lanes: NDArray[Any]) -> NDArray[Any]:
    return np.column_stack([lanes["values"], lanes["draws"].astype(np.float64)])


COMPONENTS = (
    rule("the agent's paddle moves", midcourt, _columns("right")),
    rule("the opponent's paddle follows the ball", midcourt, _columns("left")),
    rule("paddles stop at their limits", at_limits, _columns("left", "right")),
    rule("the ball flies", midcourt, _columns("x", "y", "vx", "vy")),
    rule("the ball bounces off the walls", at_walls, _columns("x", "y", "vx", "vy")),
    rule("the opponent returns or misses", left_end, _end),
    rule("the agent returns with spin or misses", right_end, _end),
    rule("points are given and the game ends", misses, _points),
    rule("a point is followed by a serve", misses, _serve),
    rule("observations are scaled", midcourt, lambda outcome: outcome.observations),
    Check("draws are Threefry's", words),
    Check("a seed starts the stream anew", first_serves),
    Check("the next episode goes on with the stream", next_episodes),
)
