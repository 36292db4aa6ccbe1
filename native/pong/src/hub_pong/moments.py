"""Chosen moments of Pong, played for one step by the C core and by the Python reference.

The checks of `hub_pong.components` and `hub_pong.interactions` draw moments, step both sides and
compare what comes out. The core is given its state through `restore`, the reference through the
fields of its environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from hub.native import Lanes
from hub_pong import env
from hub_pong.options import PUFFER, observation_space
from hub_pong.reference import BALL_SPEED_X, FAR_X, FAR_Y, Game, PythonPongEnv, observe

Ints = npt.NDArray[np.int64]

LANE = np.dtype(
    [
        ("values", "f4", 8),
        ("seed", "u8"),
        ("draws", "u8"),
        ("elapsed", "u8"),
        ("needs_reset", "u8"),
    ]
)
VX, VY = 4, 5
LIMIT = 100


@dataclass(frozen=True)
class Moments:
    """States before a step, one a lane.

    Attributes:
        values: `[N, 8]`: paddles, ball, speeds, scores, in the order of the observation.
        actions: `[N]`, 0 to 2.
        seeds: `[N] uint64`.
        draws: `[N] uint64`: draws used so far.
        puffer: Rule set.
        frame_skip: Frames a step.
    """

    values: Ints
    actions: Ints
    seeds: npt.NDArray[np.uint64]
    draws: npt.NDArray[np.uint64]
    puffer: bool
    frame_skip: int = 1


@dataclass(frozen=True)
class Outcomes:
    """What one step made of the moments: `values [N, 8]`, `rewards`, `over`, `draws [N]`."""

    values: npt.NDArray[Any]
    rewards: npt.NDArray[np.float64]
    over: npt.NDArray[np.bool_]
    draws: npt.NDArray[Any]
    observations: npt.NDArray[np.float32]


def draw_moments(samples: int, seed: int, puffer: bool, frame_skip: int = 1) -> Moments:
    """Moments from all over the court, legal under the rule set; velocities as play allows."""
    rng = np.random.default_rng(seed)
    outside = 35 if puffer else 0
    # Velocity 0 of a level serve occurs under puffer's rules only.
    speeds = [v for v in range(-13, 14) if v or puffer]
    columns = [
        rng.integers(-outside, 571 + outside, samples),
        rng.integers(-outside, 571 + outside, samples),
        rng.integers(0, FAR_X + 1, samples),
        rng.integers(0, FAR_Y + 1, samples),
        rng.choice([-BALL_SPEED_X, BALL_SPEED_X], samples),
        rng.choice(speeds, samples),
        rng.integers(0, 21, samples),
        rng.integers(0, 21, samples),
    ]
    return Moments(
        values=np.stack(columns, axis=1),
        actions=rng.integers(0, 3, samples),
        seeds=rng.integers(0, 2**64, samples, dtype=np.uint64),
        draws=rng.integers(0, 2**40, samples, dtype=np.uint64),
        puffer=puffer,
        frame_skip=frame_skip,
    )


def core_lanes(
    count: int,
    puffer: bool,
    frame_skip: int = 1,
    autoreset: AutoresetMode = AutoresetMode.DISABLED,
    limit: int | None = None,
) -> tuple[Any, Lanes]:
    """A core and its arrays, every lane reset with its index as seed."""
    compat = PUFFER if puffer else None
    lanes = Lanes.allocate(observation_space(compat), count, autoreset, limit, 1)
    core: Any = env.bind(lanes, compat, frame_skip)
    core.reset(np.arange(count, dtype=np.uint64), None)
    return core, lanes


def core_state(core: Any, count: int) -> npt.NDArray[Any]:
    """State of every lane, `[count]` of `LANE`."""
    return np.frombuffer(core.snapshot(), LANE, count)


def step_core(moments: Moments) -> Outcomes:
    """Step the C core once from the moments."""
    count = len(moments.values)
    core, lanes = core_lanes(count, moments.puffer, moments.frame_skip)
    state = np.zeros(count, LANE)
    state["values"] = moments.values
    state["seed"], state["draws"] = moments.seeds, moments.draws
    before = np.stack([observe(game, moments.puffer) for game in games(moments)])
    core.restore(state.tobytes() + before.astype(np.float32).tobytes())
    core.step(moments.actions)
    after = core_state(core, count)
    outcome = Outcomes(
        values=after["values"].astype(np.int64),
        rewards=lanes.rewards.copy(),
        over=lanes.terminations.copy(),
        draws=after["draws"].copy(),
        observations=lanes.observations.copy(),
    )
    core.close()
    return outcome


def step_reference(moments: Moments) -> Outcomes:
    """Step the Python reference once from the moments, one environment for all."""
    compat = PUFFER if moments.puffer else None
    pong = PythonPongEnv(compat=compat, frame_skip=moments.frame_skip)
    rows = []
    for lane, game in enumerate(games(moments)):
        put(pong, game, int(moments.seeds[lane]), int(moments.draws[lane]))
        observation, reward, over, _, _ = pong.step(int(moments.actions[lane]))
        rows.append((pong._game, reward, over, pong._draws, observation))
    values, rewards, ends, draws, observations = zip(*rows, strict=True)
    return Outcomes(
        values=np.array(values),
        rewards=np.array(rewards, np.float64),
        over=np.array(ends, np.bool_),
        draws=np.array(draws, np.uint64),
        observations=np.stack(observations),
    )


def put(pong: PythonPongEnv, game: Game, seed: int, draws: int) -> None:
    """Put the reference into a moment, as if it had been observed."""
    pong._seed, pong._draws, pong._game = seed, draws, game
    pong._observed = observe(game, pong._puffer)


def games(moments: Moments) -> list[Game]:
    """The moments as the reference's games."""
    return [Game(*map(int, row)) for row in moments.values]
