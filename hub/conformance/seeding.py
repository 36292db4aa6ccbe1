"""The rule that a seed matters, and that a reset without one draws a new episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium.utils import seeding

from hub.conformance.outcome import Finding
from hub.conformance.play import Probe, actions
from hub.conformance.session import SEED, Session
from hub.conformance.snapshot import Snapshot, difference, snapshot

# Seeds, and resets without one, that are played: first a few; more when those without look alike.
# Steps of each.
TRIED, MOST_TRIED, SEED_STEPS = 4, 16, 50
# Alike resets are a fault when chance would make them alike less often than this.
CHANCE = 1e-3

Play = list[Snapshot]


def seed(session: Session) -> str:
    """The seed matters, and each reset without one draws another episode."""
    session.require_determinism()
    with session.open() as probe:
        seeded = [_play(session, probe, SEED + i) for i in range(TRIED)]
        first = _play(session, probe, SEED)
        unseeded = [_play(session, probe, None) for _ in range(TRIED)]
        unseeded_alike = _common(unseeded) == len(unseeded)
        if _common(seeded) == len(seeded):
            if unseeded_alike and _equal(first, unseeded[0]):
                _require_no_draws(session, probe)
                return "the environment draws nothing at random"
            text = "reset(seed=) has no effect: every seed gives the same episode"
            raise Finding(text, 0, "observation", SEED)
        if unseeded_alike:
            _require_chance(session, probe, seeded, first, unseeded)
    return f"{len(seeded)} seeds"


def _play(session: Session, probe: Probe, seed: int | None) -> Play:
    """Return the observations of one episode, or of its first steps."""
    observation, _ = probe.reset(seed=seed)
    seen = [snapshot(observation, "observation")]
    given = actions(probe.env.action_space, SEED)
    for _, action in zip(range(SEED_STEPS), given, strict=False):
        if probe.done or session.left() < 0:
            break
        seen.append(snapshot(probe.step(action)[0], "observation"))
    return seen


def _plays(session: Session, probe: Probe, seeds: Sequence[int | None]) -> list[Play]:
    """Play each seed for as long as the rule's time lasts."""
    played: list[Play] = []
    for seed in seeds:
        play = _play(session, probe, seed)
        if session.left() < 0:
            break  # the time ended this play early, so its length says nothing
        played.append(play)
    return played


def _equal(a: Play, b: Play) -> bool:
    pairs = zip(a, b, strict=False)
    return len(a) == len(b) and not any(difference(x, y) for x, y in pairs)


def _common(plays: list[Play]) -> int:
    """Return how many of the plays are the most frequent one."""
    return max(sum(_equal(a, b) for b in plays) for a in plays)


def _require_chance(
    session: Session, probe: Probe, seeded: list[Play], first: Play, unseeded: list[Play]
) -> None:
    """Raise a finding unless unseeded plays that are alike may be so by chance.

    Where most seeds give one episode (a rare event decides), a few resets without a seed are often
    alike. So more of both are played: `n` resets are alike with the (n - 1)th power of the share
    of the most frequent episode.
    """
    seeded += _plays(session, probe, [SEED + n for n in range(TRIED, MOST_TRIED)])
    probe.reset(seed=SEED)
    unseeded += _plays(session, probe, [None] * (MOST_TRIED - TRIED))
    count, common = len(seeded), _common(seeded)
    alike, tries = _common(unseeded) == len(unseeded), len(unseeded)
    if not alike or (common > 1 and (common / count) ** (tries - 1) > CHANCE):
        return
    text = f"reset() without a seed restarts one and the same episode, {tries} times of {tries}"
    if _equal(first, unseeded[0]):
        text = "reset() without a seed gives the seeded episode again, every time"
    raise Finding(text, 0, "observation", SEED)


def _require_no_draws(session: Session, probe: Probe) -> None:
    """Raise a finding when the environment draws from a generator that ignores the seed.

    Of an environment whose seeds all play alike, this tells one that reseeds `np_random` with a
    number of its own from one that draws nothing: the latter's generator is never drawn from.
    """
    base, states, drawn = probe.env.unwrapped, [], False
    for number in range(TRIED):
        given = SEED + number
        probe.reset(seed=given)
        states.append(_state(base))
        own = base.__dict__.get("_np_random_seed")
        if own == given or states[-1] is None:
            return
        begun = seeding.np_random(own)[0] if isinstance(own, int) and own >= 0 else None
        drawn = drawn or (begun is not None and begun.bit_generator.state != states[-1])
        for _, action in zip(range(10), actions(probe.env.action_space, SEED), strict=False):
            if probe.done or session.left() < 0:
                break
            probe.step(action)
        drawn = drawn or _state(base) != states[-1]
    if not drawn or any(state != states[0] for state in states):
        return
    text = (
        f"reset(seed={SEED}) has no effect: np_random, from which the environment draws, is the "
        "same after every seed; pass the seed on by super().reset(seed=seed)"
    )
    raise Finding(text, 0, "np_random", SEED)


def _state(env: gymnasium.Env[Any, Any]) -> Any:
    """Return the state of `np_random`, or None where the environment has not made one."""
    # The property would make a generator; an environment that draws nothing has none.
    generator = env.__dict__.get("_np_random")
    return getattr(getattr(generator, "bit_generator", None), "state", None)
