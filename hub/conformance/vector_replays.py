"""Rules on seeds and repetition of the environment's own vector environment."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import concatenate, create_empty_array

from hub.conformance.batch import VectorProbe, open_vector, require_vector, rows, vector_takes
from hub.conformance.outcome import Finding, Skipped, blame
from hub.conformance.play import Frame, Probe, actions, compare, frames
from hub.conformance.session import MIN_STEPS, OTHER_SEED, SEED, Session
from hub.conformance.snapshot import Snapshot, difference, snapshot
from hub.conformance.vector import LANES

SAME_ACTION_STEPS = 50
MAX_STEPS = 2_000
# Enough lanes that a pool of threads is worth its while, and steps for their races to show.
THREADS, THREAD_LANES, THREAD_STEPS = (1, 2, 4), 1_024, 40


def _steps(session: Session, lanes: int = LANES) -> int:
    return max(5, min(session.steps * LANES // lanes, MAX_STEPS))


def _play(session: Session, probe: VectorProbe, seed: int, steps: int) -> list[Frame]:
    played: list[Frame] = []
    session.grant()
    for frame in frames(probe, seed, steps):
        played.append(frame)
        session.require_time()
        if len(played) == 2:
            session.grant()  # the first step may have compiled something
        if len(played) > MIN_STEPS and session.left() < 0:
            break
    return played


def _single_resets(session: Session, seeds: list[int]) -> list[Snapshot]:
    probe = session.singles(1, None)[0]
    return [snapshot(probe.reset(seed=s)[0], "observation") for s in seeds]


def _follow(session: Session, seeds: int | list[int]) -> Finding | None:
    """Return a finding unless lane i resets as the single environment does with its seed."""
    own = [seeds + lane for lane in range(LANES)] if isinstance(seeds, int) else seeds
    with open_vector(session, LANES) as probe, blame(f"reset(seed={seeds})", 0):
        observations, _ = probe.reset(seed=seeds)
        given = rows(probe, (observations, {}))
    for lane, want in enumerate(_single_resets(session, own)):
        got = {path: leaf for path, leaf in given[lane].items() if path.startswith("observation")}
        found = difference(want, got, session.tolerance)
        if found:
            text = (
                f"lane {lane} of reset(seed={seeds}) is not the single environment's "
                f"reset(seed={own[lane]}): {found[1]}"
            )
            return Finding(text, 0, found[0], own[lane])
    return None


def lanes_follow(session: Session) -> bool:
    """Tell whether lane i of `reset(seed=s)` is the single environment's `reset(seed=s + i)`."""
    return session.once("lanes_follow", lambda: _follow(session, SEED)) is None


def vector_seeds(session: Session) -> str:
    """Lane i of reset(seed=s) is the single environment's reset(seed=s + i); lists are taken."""
    require_vector(session)
    session.require_determinism()
    for seeds in (SEED, [OTHER_SEED + 3 * lane for lane in reversed(range(LANES))]):
        found = _follow(session, seeds)
        if found and session.strict:
            raise found
        if found:
            raise Skipped(f"the hub's rule, and this is a foreign id: {found.message}")
    return "an int and a list"


def vector_lanes(session: Session) -> str:
    """Lanes play as differently as single environments with as many seeds do."""
    require_vector(session)
    session.require_determinism()
    single = session.singles(1, None)[0]
    alone = [_alone(single, SEED + lane) for lane in range(LANES)]
    kinds = _distinct(alone)
    if kinds == 1:
        raise Skipped("the single environment plays alike with every seed")
    with open_vector(session, LANES) as probe:
        for seed in (SEED, None):
            played = _together(session, probe, seed)
            lanes = [[row[lane] for row in played] for lane in range(LANES)]
            if _distinct(lanes) == 1:
                text = f"all lanes play alike after reset(seed={seed})"
                raise Finding(text, 0, "observation", seed)
            # Where chance never makes two seeds alike, two lanes alike share a seed.
            for a, b in itertools.combinations(range(LANES), 2):
                if kinds == LANES and _alike(lanes[a], lanes[b]):
                    text = f"lanes {a} and {b} play alike after reset(seed={seed})"
                    raise Finding(text, 0, "observation", seed)
    return f"{LANES} lanes with one action, seeded and not"


def _alike(a: list[Snapshot], b: list[Snapshot]) -> bool:
    return not any(difference(x, y) for x, y in zip(a, b, strict=False))


def _distinct(plays: list[list[Snapshot]]) -> int:
    """Return how many of the plays differ from every one before them."""
    kinds: list[list[Snapshot]] = []
    for play in plays:
        if not any(_alike(play, kind) for kind in kinds):
            kinds.append(play)
    return len(kinds)


def _alone(probe: Probe, seed: int) -> list[Snapshot]:
    """Play one episode of a single environment, with the actions that all lanes get."""
    seen = [snapshot(probe.reset(seed=seed)[0], "observation")]
    given = actions(probe.env.action_space, SEED)
    for _, action in zip(range(SAME_ACTION_STEPS), given, strict=False):
        if probe.done:
            break
        seen.append(snapshot(probe.step(action)[0], "observation"))
    return seen


def _together(session: Session, probe: VectorProbe, seed: int | None) -> list[list[Snapshot]]:
    """Play all lanes with one action until one of them ends; returns every lane's rows."""
    single = probe.vector.single_action_space
    seen = [rows(probe, probe.reset(seed=seed))]
    for _, action in zip(range(SAME_ACTION_STEPS), actions(single, SEED), strict=False):
        result = probe.step(_repeated(single, action))
        seen.append(rows(probe, result))
        if np.any(result[2]) or np.any(result[3]):
            break
    return seen


def _repeated(space: gymnasium.Space[Any], action: Any) -> Any:
    """Return the batch that gives every lane `action`."""
    copies = [action] * LANES
    try:
        empty: Any = create_empty_array(space, LANES)
        return concatenate(space, copies, empty)
    except gymnasium.error.CustomSpaceError:
        return tuple(copies)


def vector_determinism(session: Session) -> str:
    """Two vector environments with the same seed and actions return the same."""
    require_vector(session)
    session.require_determinism()
    steps = _steps(session)
    with open_vector(session, LANES) as probe:
        first = _play(session, probe, SEED, steps)
    with open_vector(session, LANES) as probe:
        compare(first, _play(session, probe, SEED, steps), SEED, "two vector environments")
        _play(session, probe, OTHER_SEED, steps // 2)
        again = _play(session, probe, SEED, steps)
        compare(first, again, SEED, "fresh, and after other episodes")
    return f"{steps} steps of {LANES} lanes"


def vector_threads(session: Session) -> str:
    """The result does not depend on the number of threads."""
    require_vector(session)
    session.require_determinism()
    if not vector_takes(session, "num_threads", 1):
        raise Skipped("its constructor has no num_threads")
    lanes = THREAD_LANES if session.step_seconds < 2e-4 else 16
    plays = []
    for threads in THREADS:
        with open_vector(session, lanes, num_threads=threads) as probe:
            plays.append(_play(session, probe, SEED, THREAD_STEPS))
        if threads > 1:
            compare(plays[0], plays[-1], SEED, f"1 and {threads} threads")
    return f"{', '.join(map(str, THREADS))} threads, {lanes} lanes, {THREAD_STEPS} steps"
