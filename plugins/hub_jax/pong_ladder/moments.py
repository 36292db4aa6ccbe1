"""Chosen moments of Pong, played for one step by JAX Pong and by C Pong.

A moment is put into C Pong by a snapshot, whose payload is one record of 64 bytes a lane
(`native/pong/csrc/pong.h`) and then the observations `[lanes, 8] float32`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from hub.functional import FunctionalEnv, jit
from hub.functional.host import exact_rewards
from hub.snapshot import opened, seal
from hub_jax import pong, threefry

ID, REFERENCE_ID = "hub:jax/Pong-v0", "hub:native/Pong-v0"
LANE = np.dtype(
    [
        ("values", "f4", 8),
        ("seed", "u8"),
        ("draws", "u8"),
        ("elapsed", "u8"),
        ("needs_reset", "u8"),
    ]
)
NAMES = ("left", "right", "x", "y", "vx", "vy", "lost", "won")  # order of the values
WORD = np.uint64(32)


@dataclass(frozen=True)
class Moments:
    """States before a step, one a lane; lengths and speeds as in `hub_jax.pong`.

    Attributes:
        values: `[N, 8]` whole numbers in the order of `NAMES`.
        actions: `[N]`, 0 to 2.
        seeds: `[N] uint64`.
        draws: `[N] uint64`: draws used so far.
        puffer: Rule set.
        frame_skip: Frames a step.
    """

    values: NDArray[np.int64]
    actions: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    draws: NDArray[np.uint64]
    puffer: bool
    frame_skip: int = 1

    @property
    def options(self) -> dict[str, Any]:
        """Options of the environment."""
        return {"compat": pong.PUFFER if self.puffer else None, "frame_skip": self.frame_skip}

    def where(self, **columns: Any) -> Moments:
        """Return the moments with columns, by their `NAMES`, replaced."""
        values = self.values.copy()
        for name, column in columns.items():
            values[:, NAMES.index(name)] = column
        return replace(self, values=values)


@dataclass(frozen=True)
class Outcomes:
    """What one step made of the moments, a row each.

    Attributes:
        values: `[N, 8]`.
        draws: `[N] uint64`.
        rewards: `[N] float64`.
        over: `[N] bool`.
        observations: `[N, 8] float32`.
    """

    values: NDArray[Any]
    draws: NDArray[Any]
    rewards: NDArray[Any]
    over: NDArray[Any]
    observations: NDArray[Any]

    def rows(self) -> NDArray[Any]:
        """Return everything, `[N, 19]`."""
        scalars = np.column_stack([self.rewards, self.over, self.draws.astype(np.float64)])
        return np.hstack([self.values, scalars, self.observations])


def draw_moments(samples: int, seed: int, puffer: bool, frame_skip: int = 1) -> Moments:
    """Draw moments from all over the court, with speeds that play can reach."""
    rng = np.random.default_rng(seed)
    outside = pong.PADDLE_HEIGHT // 2 if puffer else 0
    low, high = -outside, pong.HEIGHT - pong.PADDLE_HEIGHT + outside + 1
    # A ball is level only after a level serve, which puffer's rules alone have.
    speeds = [v for v in range(-pong.MAX_SPEED_Y, pong.MAX_SPEED_Y + 1) if v or puffer]
    columns = [
        *rng.integers(low, high, (2, samples)),
        rng.integers(0, pong.FAR_X + 1, samples),
        rng.integers(0, pong.FAR_Y + 1, samples),
        rng.choice([-pong.BALL_SPEED_X, pong.BALL_SPEED_X], samples),
        rng.choice(speeds, samples),
        *rng.integers(0, pong.MAX_SCORE, (2, samples)),
    ]
    return Moments(
        values=np.stack(columns, axis=1),
        actions=rng.integers(0, 3, samples),
        seeds=rng.integers(0, 1 << 64, samples, dtype=np.uint64),
        draws=rng.integers(0, 1 << 40, samples, dtype=np.uint64),
        puffer=puffer,
        frame_skip=frame_skip,
    )


def step_ours(moments: Moments) -> Outcomes:
    """Step JAX Pong once from the moments."""
    env = pong.pong(**moments.options)
    state, observation, reward, over = jax.device_get(
        _step(env)(our_state(moments), moments.actions.astype(np.int32))
    )
    return Outcomes(
        our_values(state),
        our_draws(state),
        exact_rewards(reward, env.reward_levels),
        over,
        observation,
    )


def step_reference(moments: Moments) -> Outcomes:
    """Step C Pong once from the moments."""
    env = reference_at(moments)
    observations, rewards, over, _, _ = env.step(moments.actions)
    after = reference_state(env)
    env.close()
    return Outcomes(after["values"], after["draws"], rewards, over, observations)


@functools.cache
def _step(env: FunctionalEnv[Any, Any]) -> Callable[..., Any]:
    def one(state: Any, action: Any) -> Any:
        after, reward, over, _, _ = env.step(None, state, action, None)  # type: ignore[arg-type]  # Pong's own stream
        return after, env.observe(after, None), reward, over

    run: Callable[..., Any] = jit(env, jax.vmap(one))
    return run


@functools.cache
def _observe(env: FunctionalEnv[Any, Any]) -> Callable[..., Any]:
    run: Callable[..., Any] = jit(env, jax.vmap(lambda state: env.observe(state, None)))
    return run


def our_state(moments: Moments) -> Any:
    """Return the moments as states of JAX Pong, lanes first; each as if it had been observed."""
    columns = [jnp.asarray(column, jnp.int32) for column in moments.values.T]
    court, scores = pong.Court(*columns[:6]), columns[6:]
    halves = [
        jnp.asarray(half.astype(np.uint32))
        for words in (moments.seeds, moments.draws)
        for half in (words & np.uint64(0xFFFFFFFF), words >> WORD)
    ]
    seen = court if moments.puffer else None
    return pong.Pong(court, scores[0], scores[1], threefry.Stream(*halves), seen)


def our_values(state: Any) -> NDArray[Any]:
    """Return the values of JAX Pong's states, `[N, 8]`."""
    court = state.court
    places = (court.paddle_left, court.paddle_right, court.ball_x, court.ball_y)
    scores = (state.score_left, state.score_right)
    return np.stack([np.asarray(c) for c in (*places, court.ball_vx, court.ball_vy, *scores)], 1)


def our_draws(state: Any) -> NDArray[np.uint64]:
    """Return how many draws the lanes of JAX Pong have used, `[N] uint64`."""
    low, high = (
        np.asarray(half, np.uint64) for half in (state.stream.draws_low, state.stream.draws_high)
    )
    return low | high << WORD


def reference_at(moments: Moments) -> Any:
    """Make C Pong, in autoreset mode DISABLED, and put it into the moments."""
    count = len(moments.values)
    made = gymnasium.make_vec(REFERENCE_ID, count, autoreset_mode="Disabled", **moments.options)
    env: Any = made.unwrapped
    env.reset(seed=0)
    lanes = np.zeros(count, LANE)
    lanes["values"], lanes["seed"], lanes["draws"] = moments.values, moments.seeds, moments.draws
    seen = np.asarray(_observe(pong.pong(**moments.options))(our_state(moments)))
    config, payload = opened(env.snapshot())
    filled = lanes.tobytes() + seen.tobytes()
    if len(filled) != len(payload):
        raise ValueError(f"C Pong's snapshot has {len(payload)} bytes: expected {len(filled)}")
    env.restore(seal(config, filled))
    return env


def reference_state(env: Any) -> NDArray[Any]:
    """Return C Pong's lanes, `[N]` of `LANE`."""
    return np.frombuffer(opened(env.snapshot())[1], LANE, env.num_envs)
