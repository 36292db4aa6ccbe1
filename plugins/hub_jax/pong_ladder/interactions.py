"""L2 checks of JAX Pong: rules acting together, over frames, points, episodes and resets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from hub.fidelity import Check, CheckResult, compare
from hub_jax.pong_ladder.components import at_limits, at_walls, left_end, misses, right_end
from hub_jax.pong_ladder.moments import (
    ID,
    REFERENCE_ID,
    Moments,
    draw_moments,
    step_ours,
    step_reference,
)

LANES = 32
ERRS = 0.2
SKIPS = (1, 2, 3, 8)


def _anywhere(moments: Moments, rng: np.random.Generator) -> Moments:
    return moments


PLACES = (_anywhere, at_limits, at_walls, left_end, right_end, misses)


def whole_steps(samples: int, seed: int) -> CheckResult:
    """State, reward, end, draws and observation of steps of some frames, from anywhere."""
    rng = np.random.default_rng(seed)
    wanted, actual = [], []
    size = max(2, samples // (2 * len(SKIPS)) // len(PLACES))
    for puffer in (False, True):
        for skip in SKIPS:
            parts = [
                place(draw_moments(size, seed + number, puffer, skip), rng)
                for number, place in enumerate(PLACES)
            ]
            columns = ("values", "actions", "seeds", "draws")
            joined = {c: np.concatenate([getattr(p, c) for p in parts]) for c in columns}
            moments = Moments(**joined, puffer=puffer, frame_skip=skip)
            wanted.append(step_reference(moments).rows())
            actual.append(step_ours(moments).rows())
    return compare(np.concatenate(wanted), np.concatenate(actual), "step")


def follow(seen: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Follow the ball, and err sometimes: long rallies, spin, points for both."""
    actions = np.where(seen[:, 3] > seen[:, 1], 1, 2)
    erring = rng.random(len(seen)) < ERRS
    return np.where(erring, rng.integers(0, 3, len(seen)), actions).astype(np.int64)


def games(mode: AutoresetMode, limit: int, **options: Any) -> Callable[[int, int], CheckResult]:
    """Return a check of whole games side by side, lane by lane, through the vector environments.

    In mode DISABLED the lanes that ended are reset; now and then, in every mode, lanes are reset
    in mid-game, some of them with a new seed.
    """

    def run(samples: int, seed: int) -> CheckResult:
        rng = np.random.default_rng(seed)
        made = {"autoreset_mode": mode, "max_episode_steps": limit, **options}
        envs: list[Any] = [gymnasium.make_vec(one, LANES, **made) for one in (REFERENCE_ID, ID)]
        seeds: list[int | None] = [int(s) for s in rng.integers(0, 1 << 63, LANES)]
        seen = [env.reset(seed=seeds)[0] for env in envs]
        rows = [[one.ravel()] for one in seen]
        for number in range(max(1, samples // LANES)):
            actions = follow(seen[0], rng)
            steps = [env.step(actions) for env in envs]
            seen = [step[0] for step in steps]
            mask = (steps[0][2] | steps[0][3]) & (mode is AutoresetMode.DISABLED)
            if number % 16 == 15:
                mask = mask | (rng.random(LANES) < 0.25)
            if mask.any():
                fresh = rng.integers(0, 1 << 63, LANES)
                seeds = [int(s) if rng.random() < 0.5 else None for s in fresh]
                starts = [env.reset(seed=seeds, options={"reset_mask": mask})[0] for env in envs]
                seen = [
                    np.where(mask[:, None], new, old) for new, old in zip(starts, seen, strict=True)
                ]
            for side, (step, now) in enumerate(zip(steps, seen, strict=True)):
                rows[side] += [*_shown(step), now.ravel()]
        for env in envs:
            env.close()
        wanted, actual = (np.concatenate(side) for side in rows)
        return compare(wanted, actual, "value")

    return run


def _shown(step: tuple[Any, ...]) -> list[NDArray[Any]]:
    """Return all that a step hands out, flat; last observations of SAME_STEP in their lanes."""
    observations, rewards, terminated, truncated, infos = step
    last = np.zeros_like(observations)
    for lane in np.flatnonzero(infos.get("_final_obs", ())):
        last[lane] = infos["final_obs"][lane]
    return [a.ravel() for a in (observations, rewards, terminated, truncated, last)]


DISABLED, SAME, NEXT = AutoresetMode.DISABLED, AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP
PUFFER = "puffer"

# The games of eight frames a step end by points, the others by the limit.
INTERACTIONS = (
    Check("whole steps of 1, 2, 3 and 8 frames", whole_steps, samples=4_800),
    Check("games", games(DISABLED, 70), samples=9_600),
    Check("games of eight frames a step", games(DISABLED, 10_000, frame_skip=8), samples=19_200),
    Check("games under puffer's rules", games(DISABLED, 70, compat=PUFFER), samples=9_600),
    Check(
        "games under puffer's rules of eight frames a step",
        games(DISABLED, 10_000, compat=PUFFER, frame_skip=8),
        samples=19_200,
    ),
    Check("games that begin again in the same step", games(SAME, 30), samples=9_600),
    Check("games that begin again in the next step", games(NEXT, 30), samples=9_600),
)
