"""L2 checks of C Pong: rules acting together, over frames, points and episodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from hub.fidelity import Check, CheckResult, compare
from hub_pong.components import at_walls, left_end, misses, right_end
from hub_pong.moments import (
    core_lanes,
    core_state,
    draw_moments,
    step_core,
    step_reference,
)
from hub_pong.options import PUFFER
from hub_pong.reference import PythonPongEnv

LANES = 24


def _everything(outcome: Any) -> Any:
    scalars = np.column_stack([outcome.rewards, outcome.over, outcome.draws])
    return np.hstack([outcome.values, scalars, outcome.observations])


def whole_steps(samples: int, seed: int) -> CheckResult:
    """State, reward, end, draws and observation of steps of 1 to 8 frames, from anywhere."""
    rng = np.random.default_rng(seed)
    wanted, actual = [], []
    places = (lambda moments, rng: moments, at_walls, left_end, right_end, misses)
    for number in range(40):
        puffer, skip = bool(number % 2), 1 + number // 2 % 8
        moments = draw_moments(max(2, samples // 40), seed + number, puffer, skip)
        moments = places[number % len(places)](moments, rng)
        wanted.append(_everything(step_reference(moments)))
        actual.append(_everything(step_core(moments)))
    return compare(np.concatenate(wanted), np.concatenate(actual), "step")


def rallies(puffer: bool, frame_skip: int) -> Any:
    """A check of whole rallies by an agent that follows the ball, and sometimes errs."""

    def run(samples: int, seed: int) -> CheckResult:
        rng = np.random.default_rng(seed)
        core, lanes = core_lanes(LANES, puffer, frame_skip)
        pongs = [
            PythonPongEnv(compat=PUFFER if puffer else None, frame_skip=frame_skip)
            for _ in range(LANES)
        ]
        seen = np.stack([pong.reset(seed=lane)[0] for lane, pong in enumerate(pongs)])
        wanted, actual = [np.hstack([seen, np.zeros((LANES, 2))])], [_row(lanes)]
        for _ in range(max(1, samples // LANES)):
            actions = np.where(seen[:, 3] > seen[:, 1], 1, 2)
            actions = np.where(rng.random(LANES) < 0.2, rng.integers(0, 3, LANES), actions)
            core.step(actions)
            steps = [pong.step(int(a)) for pong, a in zip(pongs, actions, strict=True)]
            seen = np.stack([step[0] for step in steps])
            ends = np.array([step[2] for step in steps])
            wanted.append(np.column_stack([seen, [step[1] for step in steps], ends]))
            actual.append(_row(lanes))
            if ends.any():
                core.reset(None, ends)
                for lane in np.flatnonzero(ends):
                    seen[lane] = pongs[lane].reset()[0]
            if lanes.terminations.any():  # the core alone has ended: the rows differ already
                core.reset(None, lanes.terminations.copy())
        core.close()
        return compare(np.concatenate(wanted), np.concatenate(actual), "row")

    return run


def _row(lanes: Any) -> Any:
    return np.column_stack([lanes.observations, lanes.rewards, lanes.terminations])


def clean_resets(samples: int, seed: int) -> CheckResult:
    """A reset of some lanes clears score, clock and flags there, and touches no other lane."""
    rng = np.random.default_rng(seed)
    core, _ = core_lanes(samples, False, limit=10_000)
    for _ in range(150):
        core.step(rng.integers(0, 3, samples))
    before = core_state(core, samples).copy()
    mask = rng.random(samples) < 0.5
    core.reset(None, mask)
    after = core_state(core, samples)
    core.close()
    names = ("seed", "draws", "elapsed", "needs_reset")
    clocks = {name: before[name].astype(np.int64) for name in names}
    clocks["draws"] += mask
    clocks["elapsed"][mask] = 0
    values = before["values"].copy()
    values[mask] = after["values"][mask]
    values[mask, 6:] = 0
    wanted = np.column_stack([values, *(clocks[name] for name in names[1:])])
    actual = np.column_stack([after["values"], *(after[name] for name in names[1:])])
    return compare(wanted, actual, "lane")


def autoreset_modes(samples: int, seed: int) -> CheckResult:
    """The three autoreset modes play the same episodes; SAME_STEP keeps the last observation."""
    rng = np.random.default_rng(seed)
    disabled, plain = core_lanes(LANES, False, 4, AutoresetMode.DISABLED)
    same, kept = core_lanes(LANES, False, 4, AutoresetMode.SAME_STEP)
    following, late = core_lanes(LANES, False, 4, AutoresetMode.NEXT_STEP)
    state = core_state(disabled, LANES).copy()
    state["values"][:, 6:] = 20  # the next point ends an episode
    for core in (disabled, same, following):
        core.restore(state.tobytes() + plain.observations.tobytes())
    lag = np.zeros(LANES, np.bool_)
    wanted, actual = [], []
    for _ in range(max(100, samples // LANES)):
        actions = rng.integers(0, 3, LANES)
        disabled.step(actions)
        same.step(actions)
        following.step(actions)
        ends = plain.terminations.copy()
        shown = np.where(ends[:, None], kept.final_observations, kept.observations)
        wanted += [_row(plain), _row(plain)]
        actual += [np.column_stack([shown, kept.rewards, kept.terminations]), _row(late)]
        if ends.any():
            disabled.reset(None, ends)
            # NEXT_STEP resets on its next call, which the others must not see: leave those lanes.
            lag |= ends
        keep = ~lag
        wanted[-1], actual[-1] = wanted[-1][keep], actual[-1][keep]
        wanted.append(plain.observations[ends])
        actual.append(kept.observations[ends])
        if lag.all():
            break
    for core in (disabled, same, following):
        core.close()
    flat = [np.concatenate([part.ravel() for part in side]) for side in (wanted, actual)]
    return compare(flat[0], flat[1], "value")


INTERACTIONS = (
    Check("whole steps of 1 to 8 frames", whole_steps),
    Check("rallies", rallies(False, 1), samples=24_000),
    Check("rallies with frame-skip 4", rallies(False, 4), samples=24_000),
    Check("rallies under puffer's rules", rallies(True, 1), samples=24_000),
    Check("rallies under puffer's rules with frame-skip 4", rallies(True, 4), samples=24_000),
    Check("resets clear their lanes alone", clean_resets),
    Check("the three autoreset modes agree", autoreset_modes, samples=2_400),
)
