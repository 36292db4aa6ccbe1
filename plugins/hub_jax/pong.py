"""Pong in JAX: the rules, as pure functions of one lane.

The game of `hub:native/Pong-v0`, bit for bit, in both rule sets: the same state, draws,
observations and rewards from the same seed. Its options, observation, action, reward and end are
documented in `hub_jax.pong_env`.

Positions and speeds are whole numbers and stay `int32`: XLA may reorder and contract integer
arithmetic as it likes. An observation is one product of a whole number and a `float32` that NumPy
computed, which leaves XLA nothing to rewrite. A point ends a step, so a step serves at most once:
the frames are played first, then one draw is made for all lanes.

Lengths are in units of a court of 500 x 640, y upwards, speeds in units per frame.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Box, Discrete

from hub.arguments import whole
from hub.functional import Array, FunctionalEnv, Transition, struct
from hub_jax import pong_view
from hub_jax.threefry import Stream, draw, stream

PUFFER = "puffer"
MAX_FRAME_SKIP = 8
WIDTH, HEIGHT = 500, 640
BALL = 32
PADDLE_HEIGHT = 70
PADDLE_SPEED = 8
BALL_SPEED_X = 10
SPIN, MAX_SPEED_Y = 3, 13
SERVE_X = 100
MAX_SCORE = 21
FAR_X, FAR_Y = WIDTH - BALL, HEIGHT - BALL  # the ball's largest position inside the court
REWARDS = (-1.0, 0.0, 0.1, 1.0)


@struct
class Court:
    """Where everything is."""

    paddle_left: Array  # [] int32: lower edge of the opponent's paddle
    paddle_right: Array  # [] int32: lower edge of the agent's paddle
    ball_x: Array  # [] int32: left edge
    ball_y: Array  # [] int32: lower edge
    ball_vx: Array  # [] int32
    ball_vy: Array  # [] int32


@struct
class Pong:
    """One lane."""

    court: Court
    score_left: Array  # [] int32
    score_right: Array  # [] int32
    stream: Stream
    seen: Court | None  # what is observed, where that may lag behind (the puffer rules)


@struct
class Events:
    """What a step has brought so far; at most one of `won` and `lost`."""

    won: Array  # [] bool: the opponent missed
    lost: Array  # [] bool: the agent missed
    hit: Array  # [] bool: the agent returned the ball


@dataclasses.dataclass(frozen=True)
class Rules:
    """What is static: the rule set and the frame-skip."""

    puffer: bool
    frame_skip: int

    @property
    def outside(self) -> int:
        """How far paddles may leave the court."""
        return PADDLE_HEIGHT // 2 if self.puffer else 0


def serve(rules: Rules, word: Array) -> Court:
    """Start a rally: the two lowest bits of `word` (`uint32`) decide."""
    first, second = (word & 1).astype(jnp.int32), (word & 2).astype(jnp.int32)
    vx = jnp.full_like(first, BALL_SPEED_X) if rules.puffer else BALL_SPEED_X * (1 - second)
    vy = first - 1 if rules.puffer else 2 * first - 1
    paddle = jnp.full_like(first, (HEIGHT - PADDLE_HEIGHT) // 2)
    x = jnp.where(vx > 0, SERVE_X, FAR_X - SERVE_X)
    return Court(paddle, paddle, x, jnp.full_like(first, FAR_Y // 2), vx, vy)


def covers(paddle: Array, ball_y: Array) -> Array:
    """Tell whether a paddle and the ball share some height."""
    return (ball_y + BALL > paddle) & (ball_y < paddle + PADDLE_HEIGHT)


def move(rules: Rules, court: Court, direction: Array) -> Court:
    """Move both paddles and the ball, and let it bounce off the lower and upper wall."""
    low, high = -rules.outside, HEIGHT - PADDLE_HEIGHT + rules.outside
    aim = PADDLE_HEIGHT // 2 - (0 if rules.puffer else BALL // 2)
    gap = court.ball_y - (court.paddle_left + aim)
    follow = jnp.clip(gap, -PADDLE_SPEED, PADDLE_SPEED)
    x, y = court.ball_x + court.ball_vx, court.ball_y + court.ball_vy
    bounced = (y < 0) | (y > FAR_Y)
    return Court(
        jnp.clip(court.paddle_left + follow, low, high),
        jnp.clip(court.paddle_right + PADDLE_SPEED * direction, low, high),
        x,
        y if rules.puffer else jnp.clip(y, 0, FAR_Y),
        court.ball_vx,
        jnp.where(bounced, -court.ball_vy, court.ball_vy),
    )


def frame(rules: Rules, court: Court, direction: Array) -> tuple[Court, Events]:
    """Advance by one frame; `direction` is -1, 0 or 1."""
    court = move(rules, court, direction)
    left, right = court.ball_x < 0, court.ball_x > FAR_X
    back = left & covers(court.paddle_left, court.ball_y)
    hit = right & covers(court.paddle_right, court.ball_y)
    spun = jnp.clip(court.ball_vy + SPIN * direction, -MAX_SPEED_Y, MAX_SPEED_Y)
    x = court.ball_x if rules.puffer else jnp.where(back, 0, court.ball_x)
    returned = dataclasses.replace(
        court,
        ball_x=jnp.where(hit, FAR_X, x),
        ball_y=jnp.where(hit, jnp.clip(court.ball_y, 0, FAR_Y), court.ball_y),
        ball_vx=jnp.where(back | hit, -court.ball_vx, court.ball_vx),
        ball_vy=jnp.where(hit, jnp.where(spun == 0, SPIN, spun), court.ball_vy),
    )
    return returned, Events(won=left & ~back, lost=right & ~hit, hit=hit)


def _where(mask: Array, yes: Any, no: Any) -> Any:
    return jax.tree.map(functools.partial(jnp.where, mask), yes, no)


def play(
    rules: Rules, court: Court, seen: Court | None, direction: Array
) -> tuple[Court, Court | None, Events]:
    """Play the frames of a step, up to the next point."""
    none = jnp.zeros_like(direction, bool)
    events = Events(none, none, none)
    for _ in range(rules.frame_skip):
        playing = ~(events.won | events.lost)
        after, new = frame(rules, court, direction)
        court = _where(playing, after, court)
        events = Events(
            events.won | (playing & new.won),
            events.lost | (playing & new.lost),
            events.hit | (playing & new.hit),
        )
        if seen is not None:  # a scoring frame leaves the observation as it was
            seen = _where(playing & ~(new.won | new.lost), after, seen)
    return court, seen, events


def init(rules: Rules, key: Array, params: None) -> Pong:
    """Begin the first episode of a lane; its stream is that of the seed in `key`."""
    zero = jnp.zeros((), jnp.int32)
    word, after = draw(stream(key), jnp.ones((), bool))
    court = serve(rules, word)
    return Pong(court, zero, zero, after, court if rules.puffer else None)


def restart(rules: Rules, key: Array, state: Pong, params: None) -> Pong:
    """Begin the next episode; the lane's own stream goes on, so `key` is not used."""
    zero = jnp.zeros_like(state.score_left)
    word, after = draw(state.stream, jnp.ones_like(zero, bool))
    court = serve(rules, word)
    return Pong(court, zero, zero, after, court if rules.puffer else None)


def step(rules: Rules, key: Array, state: Pong, action: Array, params: None) -> Transition[Pong]:
    """Advance by `frame_skip` frames, or up to the next point; `key` is not used."""
    direction = (action == 1).astype(jnp.int32) - (action == 2).astype(jnp.int32)
    court, seen, events = play(rules, state.court, state.seen, direction)
    point = events.won | events.lost
    left, right = state.score_left + events.lost, state.score_right + events.won
    over = (left == MAX_SCORE) | (right == MAX_SCORE)
    serves = point & ~over
    word, after = draw(state.stream, serves)
    # The last point leaves the ball at the edge that it passed.
    ended = dataclasses.replace(
        court, ball_x=jnp.where(point, jnp.clip(court.ball_x, 0, FAR_X), court.ball_x)
    )
    court = _where(serves, serve(rules, word), ended)
    reward = jnp.where(events.hit, jnp.float32(0.1), jnp.float32(0))
    reward = jnp.where(events.won, jnp.float32(1), jnp.where(events.lost, jnp.float32(-1), reward))
    return Transition(Pong(court, left, right, after, seen), reward, over, jnp.zeros_like(over), {})


@functools.cache
def _scaling(rules: Rules) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Observation = (value + shift) * scale: `[8] int32` and `[8] float32`."""
    travel = HEIGHT - PADDLE_HEIGHT + 2 * rules.outside
    shift = (rules.outside, rules.outside, 0, 0, BALL_SPEED_X, MAX_SPEED_Y, 0, 0)
    span = (travel, travel, WIDTH, HEIGHT, 2 * BALL_SPEED_X, 2 * MAX_SPEED_Y, MAX_SCORE, MAX_SCORE)
    return np.array(shift, np.int32), np.float32(1) / np.array(span, np.float32)


def observe(rules: Rules, state: Pong, params: None) -> Array:
    """Return the eight observed values, `[8] float32`."""
    court = state.court if state.seen is None else state.seen
    # The puffer rules divide the scores as integers, which shows 0 until the episode is over.
    scores = (state.score_left, state.score_right)
    shown = tuple(jnp.zeros_like(score) for score in scores) if rules.puffer else scores
    paddles, ball = (court.paddle_left, court.paddle_right), (court.ball_x, court.ball_y)
    values = jnp.stack((*paddles, *ball, court.ball_vx, court.ball_vy, *shown))
    shift, scale = _scaling(rules)
    return (values + shift).astype(jnp.float32) * scale


def observation_space(rules: Rules) -> Box:
    """Return `Box[8] float32` within 0 and 1.

    Under the puffer rules the ball may be observed one frame's way outside the court.
    """
    low = np.zeros(8, np.float32)
    if rules.puffer:
        scale = _scaling(rules)[1]
        low[2:4] = np.array([-BALL_SPEED_X, -MAX_SPEED_Y], np.float32) * scale[2:4]
    return Box(low, np.ones(8, np.float32))


def pong(compat: str | None = None, frame_skip: int = 1) -> FunctionalEnv[Pong, None]:
    """Return Pong as a functional environment, one record per configuration.

    Args:
        compat: None, or `"puffer"` for PufferLib's published rules, quirks included.
        frame_skip: Frames per step, 1 to 8.

    Raises:
        ValueError: An option is out of range.
    """
    if compat not in (None, PUFFER):
        raise ValueError(f"compat {compat!r}: expected None or 'puffer'")
    # Checked before the cache, where True and 1 are the same key.
    return _pong(Rules(compat == PUFFER, whole("frame_skip", frame_skip, MAX_FRAME_SKIP)))


@functools.cache
def _pong(rules: Rules) -> FunctionalEnv[Pong, None]:
    return FunctionalEnv(
        name="Pong",
        init=functools.partial(init, rules),
        step=functools.partial(step, rules),
        observe=functools.partial(observe, rules),
        restart=functools.partial(restart, rules),
        params=None,
        observation_space=observation_space(rules),
        action_space=Discrete(3),
        reward_levels=REWARDS,
        render=pong_view.picture,
        ansi=pong_view.text,
        render_fps=60,
    )
