"""L1 checks of C Pong: each rule alone, on moments chosen so that it acts.

Every check runs under both rule sets and compares only what its rule decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from hub.fidelity import Check, CheckResult, compare
from hub.threefry import draw
from hub_pong.moments import (
    LANE,
    LIMIT,
    VX,
    VY,
    Moments,
    core_lanes,
    core_state,
    draw_moments,
    step_core,
    step_reference,
)
from hub_pong.reference import BALL_SPEED_X, FAR_X, FAR_Y, serve

Place = Callable[[Moments, np.random.Generator], Moments]


def with_columns(moments: Moments, **columns: Any) -> Moments:
    """The moments with some columns (`x`, `y`, `vx`, `vy`, `left`, `right`...) replaced."""
    names = ("left", "right", "x", "y", "vx", "vy", "lost", "won")
    values = moments.values.copy()
    for name, column in columns.items():
        values[:, names.index(name)] = column
    return replace(moments, values=values)


def both(samples: int, seed: int, place: Place, fields: Callable[[Any], Any]) -> CheckResult:
    """Compare `fields` of one step under both rule sets."""
    parts = []
    for puffer in (False, True):
        rng = np.random.default_rng(seed + puffer)
        moments = place(draw_moments(samples, seed, puffer), rng)
        parts.append((fields(step_reference(moments)), fields(step_core(moments))))
    wanted, actual = (np.concatenate(side) for side in zip(*parts, strict=True))
    return compare(wanted, actual, "moment")


def midcourt(moments: Moments, rng: np.random.Generator) -> Moments:
    """The ball is far from every edge."""
    size = len(moments.values)
    x, y = rng.integers(100, 300, size), rng.integers(100, 500, size)
    return with_columns(moments, x=x, y=y)


def at_limits(moments: Moments, rng: np.random.Generator) -> Moments:
    """Paddles within a move of their limits; the ball anywhere but at the ends."""
    size = len(moments.values)
    outside = 35 if moments.puffer else 0
    ends = rng.choice([-outside, 570 + outside], (size, 2))
    inwards = rng.integers(0, 12, (size, 2)) * np.where(ends > 300, -1, 1)
    left, right = (ends + inwards).T
    return with_columns(moments, left=left, right=right, x=rng.integers(50, 400, size))


def at_walls(moments: Moments, rng: np.random.Generator) -> Moments:
    """The ball within a frame of the lower or upper wall, far from the ends."""
    size = len(moments.values)
    near = rng.integers(0, 15, size)
    y = np.where(rng.random(size) < 0.5, near, FAR_Y - near)
    return with_columns(moments, x=rng.integers(50, 400, size), y=y)


def _edge(moments: Moments, rng: np.random.Generator, side: str, inside: bool) -> Moments:
    """The ball within two frames of one end, its height about the paddle's edges."""
    size = len(moments.values)
    depth = rng.integers(0, 2 * BALL_SPEED_X + 1, size)
    y = rng.integers(60, 540, size)
    # The paddle after its move meets, just misses, or is grazed by the ball.
    offset = (
        rng.integers(-70, 33, size) if inside else rng.choice([-90, -70, -69, 31, 32, 50], size)
    )
    column = moments.values[:, VY] + y + offset
    if side == "left":
        return with_columns(moments, x=depth, vx=-BALL_SPEED_X, y=y, left=column)
    return with_columns(moments, x=FAR_X - depth, vx=BALL_SPEED_X, y=y, right=column)


def left_end(moments: Moments, rng: np.random.Generator) -> Moments:
    """The opponent returns the ball or misses it."""
    return _edge(moments, rng, "left", True)


def right_end(moments: Moments, rng: np.random.Generator) -> Moments:
    """The agent returns the ball or misses it; half the balls are about to be level."""
    placed = _edge(moments, rng, "right", True)
    level = rng.random(len(placed.values)) < 0.5
    speeds = placed.values[:, VY]
    return with_columns(placed, vy=np.where(level, rng.choice([-3, 3], len(level)), speeds))


def misses(moments: Moments, rng: np.random.Generator) -> Moments:
    """Balls that are lost on either side, often the last point."""
    half = len(moments.values) // 2
    left, right = (_edge(moments, rng, side, False).values for side in ("left", "right"))
    scores = np.where(rng.random((len(left), 2)) < 0.5, 20, moments.values[:, 6:])
    placed = replace(moments, values=np.concatenate([left[:half], right[half:]]))
    return with_columns(placed, lost=scores[:, 0], won=scores[:, 1])


def _column(*indices: int) -> Callable[[Any], Any]:
    return lambda outcome: outcome.values[:, list(indices)]


def _end(outcome: Any) -> Any:
    """Ball and reward, the ball only where no point ended the rally."""
    point = (np.abs(outcome.rewards) == 1)[:, None]
    return np.hstack([np.where(point, 0, outcome.values[:, 2:6]), outcome.rewards[:, None]])


def _points(outcome: Any) -> Any:
    return np.column_stack([outcome.values[:, 6:], outcome.rewards, outcome.over])


def serves(samples: int, seed: int) -> CheckResult:
    """A reset serves what the stream's next draw says, for seeds and draws of any size."""
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, 2**64, samples, dtype=np.uint64)
    draws = rng.integers(0, 2 ** rng.integers(1, 63, samples), samples).astype(np.uint64)
    parts = []
    for puffer in (False, True):
        core, _ = core_lanes(samples, puffer)
        state = core_state(core, samples).copy()
        state["seed"], state["draws"] = seeds, draws
        core.restore(state.tobytes() + bytes(32 * samples))
        core.reset(None, np.ones(samples, np.bool_))
        after = core_state(core, samples)
        words = [draw(int(s), int(k)) for s, k in zip(seeds, draws, strict=True)]
        want = [serve(word, puffer) for word in words]
        parts.append((np.array(want), after["values"]))
        core.close()
    wanted, actual = (np.concatenate(side) for side in zip(*parts, strict=True))
    return compare(wanted, actual, "serve")


def streams(samples: int, seed: int) -> CheckResult:
    """A seeded reset starts the lane's stream anew and uses its first draw."""
    seeds = np.random.default_rng(seed).integers(0, 2**64, samples, dtype=np.uint64)
    core, _ = core_lanes(samples, False)
    core.reset(None, None)
    core.reset(seeds, None)
    after = core_state(core, samples)
    core.close()
    actual = np.column_stack([after["draws"], after["values"][:, [VX, VY]]])
    games = [serve(draw(int(one), 0), False) for one in seeds]
    wanted = [[1, game.ball_vx, game.ball_vy] for game in games]
    return compare(wanted, actual, "lane")


def truncation(samples: int, seed: int) -> CheckResult:
    """The limit cuts an episode at exactly its last step."""
    rng = np.random.default_rng(seed)
    elapsed = rng.integers(LIMIT - 3, LIMIT + 1, samples)
    core, lanes = core_lanes(samples, False, limit=LIMIT)
    state = np.zeros(samples, LANE)
    state["values"] = midcourt(draw_moments(samples, seed, False), rng).values
    state["elapsed"] = elapsed
    core.restore(state.tobytes() + bytes(32 * samples))
    core.step(np.zeros(samples, np.int64))
    result = compare(elapsed + 1 >= LIMIT, lanes.truncations, "lane")
    core.close()
    return result


def _check(name: str, place: Place, fields: Callable[[Any], Any]) -> Check:
    return Check(name, lambda samples, seed: both(samples, seed, place, fields))


COMPONENTS = (
    _check("the agent's paddle moves", midcourt, _column(1)),
    _check("the opponent's paddle follows the ball", midcourt, _column(0)),
    _check("paddles stop at their limits", at_limits, _column(0, 1)),
    _check("the ball flies", midcourt, _column(2, 3, VX, VY)),
    _check("the ball bounces off the walls", at_walls, _column(2, 3, VX, VY)),
    _check("the opponent returns or misses", left_end, _end),
    _check("the agent returns with spin or misses", right_end, _end),
    _check("points are given and the game ends", misses, _points),
    _check("observations are scaled", midcourt, lambda outcome: outcome.observations),
    Check("serves follow the random stream", serves),
    Check("a seed starts the stream anew", streams),
    Check("the step limit truncates", truncation),
)
