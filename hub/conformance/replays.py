"""Rules that play the same seed and actions again, and ask for the same result."""

from __future__ import annotations

import itertools

from hub.conformance.outcome import Finding, Skipped
from hub.conformance.play import Frame, actions, compare, digests, frames
from hub.conformance.process import Child, TimedOut
from hub.conformance.report import OUT_OF_TIME
from hub.conformance.session import MIN_STEPS, OTHER_SEED, SEED, Session


def determinism(session: Session) -> str:
    """Two instances with the same seed and actions return the same, at every step."""
    session.require_determinism()
    first = session.reference(SEED)
    with session.open() as probe:
        second = session.play(probe, SEED)
    compare(first, second, SEED, "two runs with one seed")
    return f"{len(second)} resets and steps, {second[-1].episode + 1} episodes"


def reset(session: Session) -> str:
    """A reset in the middle of an episode starts as a fresh instance does."""
    session.require_determinism()
    expected = session.reference(SEED)
    with session.open() as probe:
        probe.reset(seed=OTHER_SEED)
        for _, action in zip(range(7), actions(probe.env.action_space, OTHER_SEED), strict=False):
            if probe.done:
                break
            probe.step(action)
        again = session.play(probe, SEED)
    compare(expected, again, SEED, "fresh, and reset in mid-episode")
    return f"{len(again)} resets and steps"


def history(session: Session) -> str:
    """What was played before a seeded reset does not matter."""
    session.require_determinism()
    expected = session.reference(SEED)
    with session.open() as probe:
        before = session.play(probe, OTHER_SEED)
        again = session.play(probe, SEED)
    compare(expected, again, SEED, "fresh, and after other episodes")
    return f"{len(again)} resets and steps after {len(before)} others"


def instances(session: Session) -> str:
    """Another instance at work in the same process does not matter."""
    session.require_determinism()
    expected = [session.reference(s) for s in (SEED, OTHER_SEED)]
    with session.open() as one, session.open() as two:
        plays = [frames(one, SEED, session.steps), frames(two, OTHER_SEED, session.steps)]
        mixed: tuple[list[Frame], list[Frame]] = ([], [])
        for pair in itertools.zip_longest(*plays):
            for frame, play in zip(pair, mixed, strict=True):
                if frame is not None:
                    play.append(frame)
            session.require_time()
            if session.left() < 0 and len(mixed[0]) > MIN_STEPS:
                break
    for want, got, s in zip(expected, mixed, (SEED, OTHER_SEED), strict=True):
        compare(want, got, s, "alone, and beside another instance")
    return f"two instances, {len(mixed[0])} resets and steps each"


def process(session: Session) -> str:
    """Another process, with another hash seed, plays the same."""
    session.require_determinism()
    expected = session.reference(SEED)
    request = session.replay_request(SEED)
    with Child(request, hash_seed=2, own_group=False) as child:
        try:
            events = list(child.events(session.start_deadline()))
        except TimedOut:
            raise Skipped(
                f"{OUT_OF_TIME} in the second process: give it more (--seconds)"
            ) from None
        if not events or "digests" not in events[-1]:
            raise Finding(f"the second process could not play: {child.death()}", seed=SEED)
    theirs = events[-1]["digests"]
    for frame, here, there in zip(expected, digests(expected), theirs, strict=False):
        for name in here:
            if here[name] != there.get(name):
                text = f"{name} differs between two processes"
                raise Finding(text, frame.step, name, SEED)
    return f"{len(theirs)} resets and steps by their hashes"
