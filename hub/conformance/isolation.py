"""Rules on what an environment shares with its process and its caller."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hub.conformance.kept import Kept, require_unchanged
from hub.conformance.outcome import Finding
from hub.conformance.play import Frame, Probe, actions, compare, frames
from hub.conformance.session import MIN_STEPS, SEED, Session
from hub.conformance.snapshot import snapshot

# Steps whose returned objects are kept and looked at again.
KEPT_STEPS = 150


@dataclass(frozen=True)
class Generator:
    """A generator that the whole process shares.

    Attributes:
        name: As users write it.
        state: Returns its state, as bytes or a tuple.
        seed: Seeds it.
    """

    name: str
    state: Callable[[], Any]
    seed: Callable[[int], Any]


def _generators() -> list[Generator]:
    """Return the global generators of the libraries that are loaded."""

    def numpy_state() -> tuple[bytes, int]:
        state = np.random.get_state(legacy=False)
        return state["state"]["key"].tobytes(), state["state"]["pos"]

    found = [
        Generator("np.random", numpy_state, np.random.seed),
        Generator("random", random.getstate, random.seed),
    ]
    torch = sys.modules.get("torch")
    if torch is not None:
        read = torch.get_rng_state
        found.append(Generator("torch", lambda: read().numpy().tobytes(), torch.manual_seed))
    return found


def global_rng(session: Session) -> str:
    """The environment neither reads nor seeds the generators of np.random, random and torch."""
    generators, _ = _generators(), session.steps  # measured before the generators are watched
    first = _play_seeded(session, generators, 77_001)
    if not session.spec.nondeterministic:
        # A play that puts the generators back as they were shows only under other states.
        second = _play_seeded(session, generators, 77_002)
        compare(first, second, SEED, "two states of the global generators")
    return ", ".join(generator.name for generator in generators)


def _play_seeded(session: Session, generators: list[Generator], seed: int) -> list[Frame]:
    """Play with seeded global generators; a finding when one of them moves."""
    for generator in generators:
        generator.seed(seed)
    before = [generator.state() for generator in generators]

    def touched(where: str, probe: Probe) -> None:
        for generator, state in zip(generators, before, strict=True):
            if generator.state() != state:
                text = f"{where} draws from or seeds the global generator of {generator.name}"
                raise Finding(text, probe.at, generator.name, SEED)

    with session.open() as probe:
        touched("making the environment", probe)
        play = []
        for frame in frames(probe, SEED, session.steps):
            play.append(frame)
            touched("step" if frame.step else "reset", probe)
            session.require_time()
            if len(play) > MIN_STEPS and session.left() < 0:
                break
    return play


def returned_data(session: Session) -> str:
    """What was returned never changes later, and is the caller's; actions stay as given.

    That the caller may overwrite an observation is the hub's own rule: some of Gymnasium's
    environments (MountainCarContinuous) hand out the array that they compute with.
    """
    kept = Kept()
    with session.open() as probe:
        observation, info = probe.reset(seed=SEED)
        kept.keep(0, observation=observation, info=info)
        given = actions(probe.env.action_space, SEED)
        for _, action in zip(range(min(session.steps, KEPT_STEPS)), given, strict=False):
            if probe.done or session.left() < 0:
                break
            before = snapshot(action, "action")
            result = probe.step(action)
            require_unchanged(before, action, probe.at)
            if probe.at < 5:
                kept.look("the next step")
            kept.keep(probe.at, observation=result[0], reward=result[1], info=result[4])
        kept.look("a later step")
        probe.reset()
        kept.look("the next reset")
    if session.strict and not session.spec.nondeterministic:
        _scribble(session)
    return f"{len(kept)} objects kept and looked at again"


def _scribble(session: Session) -> None:
    """Overwrite every returned observation; the environment must not notice."""
    expected = session.reference(SEED)
    with session.open() as probe:
        play = []
        steps = min(session.steps, KEPT_STEPS)
        for frame in frames(probe, SEED, steps, after=_overwrite):
            play.append(frame)
            if len(play) > MIN_STEPS and session.left() < 0:
                break
    what = "left alone, and after the caller overwrote the returned observations"
    compare(expected[: len(play)], play, SEED, what)


def _overwrite(observation: Any) -> None:
    if isinstance(observation, np.ndarray) and observation.flags.writeable:
        if observation.dtype != object:
            observation[...] = np.zeros((), observation.dtype)
    elif isinstance(observation, dict | tuple):
        parts = observation.values() if isinstance(observation, dict) else observation
        for part in parts:
            _overwrite(part)
