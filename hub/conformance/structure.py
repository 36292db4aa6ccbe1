"""What can be told of an autoreset mode without the table of single environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from hub.conformance.batch import VectorProbe, mode_kwargs, open_vector, rows
from hub.conformance.outcome import Finding
from hub.conformance.play import actions
from hub.conformance.session import SEED, Session
from hub.conformance.snapshot import Snapshot, difference
from hub.conformance.vector import LANES
from hub.conformance.walk import bad_observation

MAX_STEPS = 400

Mask = np.ndarray[Any, Any]


def check_structure(session: Session, mode: AutoresetMode) -> None:
    """Raise a finding where a vector environment breaks the rules of `mode`."""
    first = _play(session, mode, other_actions=False)
    if mode is AutoresetMode.NEXT_STEP and not session.spec.nondeterministic:
        # The action of the step that resets is ignored, so another one must change nothing.
        second = _play(session, mode, other_actions=True)
        for number, (a, b) in enumerate(zip(first, second, strict=False)):
            for lane, (x, y) in enumerate(zip(a, b, strict=True)):
                found = difference(x, y)
                if found:
                    text = (
                        f"lane {lane}: the action of a step that resets has an effect: {found[1]}"
                    )
                    raise Finding(text, number, found[0], SEED)


def _play(session: Session, mode: AutoresetMode, other_actions: bool) -> list[list[Snapshot]]:
    """Play, with other actions where a lane is about to be reset; returns every lane's rows."""
    kwargs = mode_kwargs(session, mode, "vector_entry_point")
    with open_vector(session, LANES, **kwargs) as probe:
        space = probe.env.action_space
        given, others = actions(space, SEED), actions(space, SEED + 1)
        seen = [rows(probe, probe.reset(seed=SEED))]
        pending = np.zeros(LANES, bool)
        for _ in range(min(session.steps, MAX_STEPS)):
            action, other = next(given), next(others)
            if other_actions and pending.any():
                action = _mixed(action, other, pending)
            result = probe.step(action)
            seen.append(rows(probe, result))
            ended = np.asarray(result[2]) | np.asarray(result[3])
            _require_finals(probe, mode, result[4], ended)
            if mode is AutoresetMode.NEXT_STEP:
                _require_reset_step(probe, result, pending)
            elif mode is AutoresetMode.DISABLED and ended.any():
                _reset_ended(probe, seen[-1], ended)
            pending = ended
            if len(seen) == 2:
                session.grant()  # the first step may have compiled something
            if session.left() < 0:
                break
        return seen


def _mixed(action: Any, other: Any, pending: Mask) -> Any:
    """Return `action` with the lanes of `pending` from `other`, where a batch is an array."""
    if not isinstance(action, np.ndarray):
        return action
    mixed = action.copy()
    mixed[pending] = other[pending]
    return mixed


def _require_reset_step(probe: VectorProbe, result: Any, pending: Mask) -> None:
    for name, value in (("reward", result[1]), ("terminated", result[2]), ("truncated", result[3])):
        wrong = pending & (np.asarray(value) != 0)
        if wrong.any():
            lane = int(np.argmax(wrong))
            text = f"lane {lane} is reset by this step, and {name} is {np.asarray(value)[lane]}"
            raise Finding(text, probe.at, name, SEED)


def _require_finals(
    probe: VectorProbe, mode: AutoresetMode, infos: dict[str, Any], ended: Mask
) -> None:
    mask = np.asarray(infos.get("_final_obs", np.zeros(LANES, bool)))
    wanted = ended if mode is AutoresetMode.SAME_STEP else np.zeros(LANES, bool)
    if not np.array_equal(mask, wanted):
        text = f"is {mask.tolist()} in {mode.value} mode, and should be {wanted.tolist()}"
        raise Finding(text, probe.at, "info['_final_obs']", SEED)
    for lane in np.flatnonzero(mask):
        space = probe.vector.single_observation_space
        found = bad_observation(space, infos["final_obs"][lane], probe.at, SEED)
        if found:
            raise Finding(found.message, found.step, f"info['final_obs'][{lane}]", SEED)


def _reset_ended(probe: VectorProbe, before: list[Snapshot], ended: Mask) -> None:
    options = {"reset_mask": ended.copy()}
    observations, _ = probe.reset(options=options)
    if list(options) != ["reset_mask"] or not np.array_equal(options["reset_mask"], ended):
        text = "reset(options=) changes the caller's dict or mask"
        raise Finding(text, probe.at, "options", SEED)
    after = rows(probe, (observations, {}))
    for lane in np.flatnonzero(~ended):
        own = {k: v for k, v in after[lane].items() if k.startswith("observation")}
        was = {k: v for k, v in before[lane].items() if k.startswith("observation")}
        found = difference(was, own)
        if found:
            text = f"reset_mask {ended.tolist()} changes lane {lane}: {found[1]}"
            raise Finding(text, probe.at, found[0], SEED)
