"""Rules on the autoreset modes: the environment's own vector environment, and Gymnasium's two.

Each mode is played against the table that `hub.conformance.lanes` derives from single
environments: short episodes first, so that ends, resets and manual resets come soon, then the
natural ones. Where the lanes do not follow the single environment (a foreign vector environment may
draw all lanes from one generator), what can be told without the table is checked.
"""

from __future__ import annotations

import statistics
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from hub.conformance import lanes
from hub.conformance.batch import (
    VectorProbe,
    lane_of,
    mode_kwargs,
    open_vector,
    own_modes,
    require_vector,
    vector_takes,
)
from hub.conformance.lanes import Lanes
from hub.conformance.outcome import Finding, Skipped
from hub.conformance.play import actions
from hub.conformance.session import OTHER_SEED, SEED, Session
from hub.conformance.structure import check_structure
from hub.conformance.vector import LANES
from hub.conformance.vector_replays import lanes_follow
from hub.conformance.walk import walked

SHORT_LIMIT, SHORT_STEPS = 5, 40
MAX_STEPS = 20_000


class Table:
    """One play of a vector environment beside its table.

    Args:
        session: The run.
        probe: The vector environment.
        expected: The single environments.
        mode: The autoreset mode of both.
        manual: Whether to reset by hand in the middle.
    """

    def __init__(
        self,
        session: Session,
        probe: VectorProbe,
        expected: Lanes,
        mode: AutoresetMode,
        manual: bool = True,
    ) -> None:
        self._session, self._probe, self._lanes = session, probe, expected
        self._mode, self._manual, self._seed = mode, manual, SEED

    def play(self, steps: int) -> int:
        """Play the script; returns how many lanes' ends it saw."""
        probe, ends = self._probe, 0
        self._reset(SEED, "reset(seed=)")
        # By hand: at an end (which leaves something pending), without a seed and then with one.
        by_hand = [(steps // 3, None), (2 * steps // 3, OTHER_SEED)] if self._manual else []
        given = actions(probe.env.action_space, SEED)
        for number, action in zip(range(steps), given, strict=False):
            ended = self._step(action, f"step in {self._mode.value} mode")
            ends += int(ended.sum())
            if number == 0:
                self._session.grant()  # the first step may have compiled something
            late = bool(by_hand) and number >= by_hand[0][0]
            if late and (ended.any() or number >= by_hand[0][0] + steps // 6):
                seed = by_hand.pop(0)[1]
                self._reset(seed, "manual reset" if seed is None else "manual reset(seed=)")
            elif self._mode is AutoresetMode.DISABLED:
                if number == steps // 2:
                    ended = ended | (np.arange(probe.num_envs) == 0)
                if ended.any():
                    self._reset_masked(ended)
            if self._session.left() < 0:
                break
        return ends

    def _require(self, result: Any, expected: list[lanes.Expected], what: str) -> None:
        tolerance = self._session.tolerance
        lanes.require(
            self._probe, result, expected, what=what, seed=self._seed, tolerance=tolerance
        )

    def _reset(self, seed: int | None, what: str) -> None:
        self._seed = self._seed if seed is None else seed
        result = self._probe.reset(seed=seed)
        self._require(result, self._lanes.reset(seed), what)

    def _step(self, action: Any, what: str) -> np.ndarray[Any, Any]:
        single = self._probe.vector.single_action_space
        own = [lane_of(single, action, lane) for lane in range(self._probe.num_envs)]
        result = self._probe.step(action)
        self._require(result, self._lanes.step(own), what)
        ended: np.ndarray[Any, Any] = np.asarray(result[2]) | np.asarray(result[3])
        return ended

    def _reset_masked(self, mask: np.ndarray[Any, Any]) -> None:
        options = {"reset_mask": mask.copy()}
        result = self._probe.reset(options=options)
        self._require(result, self._lanes.reset(mask=mask), f"reset_mask {mask.tolist()}")
        require_untouched(self._probe, options, mask)


def require_untouched(
    probe: VectorProbe, options: dict[str, Any], mask: np.ndarray[Any, Any]
) -> None:
    """Raise a finding if a masked reset changed the caller's options.

    Gymnasium's own two take the mask out of the caller's dict (bugs: B2), which is no fault of the
    environment in them.
    """
    kind: object = type(probe.env.unwrapped)
    if kind is SyncVectorEnv or kind is AsyncVectorEnv:
        return
    if list(options) != ["reset_mask"] or not np.array_equal(options["reset_mask"], mask):
        text = "reset(options=) changes the caller's dict or mask"
        raise Finding(text, probe.at, "options", SEED)


def play_table(session: Session, kind: str, mode: AutoresetMode, limit: int | None) -> int:
    """Play one table, with episodes of at most `limit` steps; returns the ends that it saw."""
    kwargs = mode_kwargs(session, mode, kind)
    limited = {} if limit is None else {"max_episode_steps": limit}
    count, manual = LANES, True
    if kind == "async":
        count = 2
        shared = _shareable(session)
        # With shared_memory=False a manual reset leaves the autoreset pending (bugs: B1); that is
        # Gymnasium's fault, so the script does without it there.
        manual = shared
        kwargs["vector_kwargs"] |= {"context": "spawn", "shared_memory": shared}
    with open_vector(session, count, kind, **kwargs, **limited) as probe:
        singles = session.singles(count, limit)
        table = Table(session, probe, Lanes(singles, mode), mode, manual)
        return table.play(SHORT_STEPS if limit is not None else _natural_steps(session))


def _shareable(session: Session) -> bool:
    """Tell whether Gymnasium can hold the observations in shared memory."""
    fixed = (
        gymnasium.spaces.Box,
        gymnasium.spaces.Discrete,
        gymnasium.spaces.MultiDiscrete,
        gymnasium.spaces.MultiBinary,
    )

    def fits(space: gymnasium.Space[Any]) -> bool:
        if isinstance(space, gymnasium.spaces.Dict):
            return all(map(fits, space.values()))
        if isinstance(space, gymnasium.spaces.Tuple):
            return all(map(fits, space))
        return isinstance(space, fixed)

    with session.open() as probe:
        return fits(probe.env.observation_space)


def _natural_steps(session: Session) -> int:
    """Steps in which each lane should end a few times, as far as the time allows."""
    ends = [end[0] for end in walked(session).ends]
    wanted = 3 * int(statistics.median(ends)) + 10 if ends else MAX_STEPS
    affordable = session.left() * 0.5 / (session.step_seconds * LANES * 2)
    return max(10, min(wanted, int(affordable)))


def _check_mode(session: Session, kind: str, mode: AutoresetMode) -> str:
    """Play the short and the natural table of one mode."""
    ends = 0
    own = kind == "vector_entry_point"
    if not own or vector_takes(session, "max_episode_steps", SHORT_LIMIT):
        ends += play_table(session, kind, mode, SHORT_LIMIT)
    if kind != "async":
        ends += play_table(session, kind, mode, None)
    if not ends:
        raise Skipped(f"no lane of {kind} ended in its time: give it more (--seconds)")
    return f"{ends} ends of lanes"


def _own(session: Session, mode: AutoresetMode) -> str:
    require_vector(session)
    if mode not in own_modes(session):
        raise Skipped("the vector environment does not offer this mode")
    if not session.spec.nondeterministic and lanes_follow(session):
        return _check_mode(session, "vector_entry_point", mode)
    check_structure(session, mode)
    return "without the table, because the lanes do not follow the single environment"


def autoreset_next_step(session: Session) -> str:
    """NEXT_STEP: the step after an end resets the lane, ignoring its action."""
    return _own(session, AutoresetMode.NEXT_STEP)


def autoreset_same_step(session: Session) -> str:
    """SAME_STEP: the step that ends an episode resets, with final_obs and final_info."""
    return _own(session, AutoresetMode.SAME_STEP)


def autoreset_disabled(session: Session) -> str:
    """DISABLED: only reset and its reset_mask reset, and leave the caller's options alone."""
    return _own(session, AutoresetMode.DISABLED)


def sync(session: Session) -> str:
    """Gymnasium's SyncVectorEnv of it follows the table, in all three modes."""
    session.require_determinism()
    return "; ".join(f"{m.value}: {_check_mode(session, 'sync', m)}" for m in AutoresetMode)


def async_(session: Session) -> str:
    """Gymnasium's AsyncVectorEnv of it, in spawned processes, follows the table."""
    session.require_determinism()
    return f"SameStep: {_check_mode(session, 'async', AutoresetMode.SAME_STEP)}"
