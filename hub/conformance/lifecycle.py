"""Rules on making, closing, copying and rendering an environment, and on its spec and spaces."""

from __future__ import annotations

import json
import pickle
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from hub.conformance.outcome import Finding, Skipped, blame, brief, describe
from hub.conformance.play import Probe, actions, blame_making, compare, frames
from hub.conformance.session import OTHER_SEED, SEED, Session


def make(session: Session) -> str:
    """`gymnasium.make` makes the environment, with Gymnasium's own checker around it."""
    with blame_making("gymnasium.make", session.pulse):
        env = gymnasium.make(session.spec)
    Probe(env, session.pulse).close()
    return type(env.unwrapped).__name__


def spec(session: Session) -> str:
    """The spec survives JSON and pickling, and makes the environment again."""
    with blame("EnvSpec.to_json"):
        text = session.spec.to_json()
        json.loads(text, parse_constant=_no_constant)
    with blame("EnvSpec.from_json"):
        again = EnvSpec.from_json(text)
    with blame("pickling the spec"):
        unpickled = pickle.loads(pickle.dumps(session.spec))
    for name, other in (("JSON", again), ("pickling", unpickled)):
        for field in ("id", "entry_point", "vector_entry_point", "kwargs", "max_episode_steps"):
            before, after = getattr(session.spec, field), getattr(other, field)
            if before != after:
                text = f"{name} changes {field} from {before!r} to {after!r}"
                raise Finding(text, field=f"spec.{field}")
    with blame_making("gymnasium.make of the spec that came back from JSON", session.pulse):
        remade = gymnasium.make(again)
    Probe(remade, session.pulse).close()
    return f"{len(text)} characters of JSON"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def spaces(session: Session) -> str:
    """Both spaces are spaces of Gymnasium that hold their own samples, fixed for an instance."""
    with session.open() as probe:
        env = probe.env
        for name in ("observation_space", "action_space"):
            with blame(name):
                space = getattr(env, name)
            if not isinstance(space, gymnasium.Space):
                raise Finding(f"is a {type(space).__name__}, not a gymnasium.Space", field=name)
            with blame(f"{name}: seed, sample, contains"):
                space.seed(SEED)
                sample = space.sample()
                if not space.contains(sample):
                    raise Finding(f"does not contain its own sample {sample!r}", field=name)
            with blame(f"pickling the {name}"):
                if pickle.loads(pickle.dumps(space)) != space:
                    raise Finding("does not equal its pickled copy", field=name)
        before = env.observation_space, env.action_space
        probe.reset(seed=SEED)
        if (env.observation_space, env.action_space) != before:
            raise Finding("reset changes the spaces", 0, "observation_space", SEED)
        return f"{brief(before[0])} and {brief(before[1])}"


def after_end(session: Session) -> str:
    """A step after the end raises or keeps its flag, and the next seeded reset is clean.

    Gymnasium leaves a step after the end undefined, and its own environments go on (CartPole's
    pole may swing back). The hub decides: it raises, or an end stays an end. To a foreign id only
    the second half applies: whatever such a step does, the next seeded reset starts clean.
    """
    with session.open() as probe:
        end = _play_to_end(session, probe)
        late = []
        for _, action in zip(range(3), actions(probe.env.action_space, OTHER_SEED), strict=False):
            try:
                late.append(probe.step(action))
            except Finding as found:
                if found.__cause__ is None:
                    raise  # it did not raise: it returned something that is no step
                break
        for number, result in enumerate(late, 1):
            if session.strict and not (result[2] or result[3]):
                text = f"step {number} after the end reports neither flag, and does not raise"
                raise Finding(text, end + number, "terminated", SEED)
        if not session.spec.nondeterministic:
            play = session.play(probe, SEED)
            what = "fresh, and reset after a step after the end"
            compare(session.reference(SEED), play, SEED, what)
    return "it raises" if len(late) < 3 else "it returns, and the next reset is clean"


def _play_to_end(session: Session, probe: Probe) -> int:
    """Play from `SEED` until the episode ends; returns its number of steps."""
    probe.reset(seed=SEED)
    for action in actions(probe.env.action_space, SEED):
        probe.step(action)
        if probe.done:
            return probe.at
        if session.left() < 0:
            raise Skipped(f"no end within {probe.at} steps")
    raise AssertionError("actions never end")


def copies(session: Session) -> str:
    """The environment can be pickled, and the copy plays the same."""
    with session.open() as probe:
        try:
            data = pickle.dumps(probe.env)
            twin = Probe(pickle.loads(data), session.pulse)
        # Objects refuse pickling in any way they like.
        except Exception as error:
            raise Finding(f"pickle raised {describe(error)}") from error
        try:
            if not session.spec.nondeterministic:
                play = session.play(twin, SEED)
                compare(session.reference(SEED), play, SEED, "the original and its pickled copy")
        finally:
            twin.close()
    return f"{len(data):,} bytes"


# What each render mode of Gymnasium must return.
FRAMES: dict[str, str] = {
    "rgb_array": "a uint8 array of shape (height, width, 3)",
    "ansi": "a string",
    "depth_array": "an array",
    "rgb_array_list": "a list",
    "ansi_list": "a list",
    "depth_array_list": "a list",
}


def render(session: Session) -> str:
    """Every declared render mode returns its kind of frame, and does not disturb the play."""
    with session.open() as probe:
        modes = probe.env.metadata.get("render_modes")
    if not isinstance(modes, list | tuple):
        raise Finding("metadata['render_modes'] is no list", field="metadata")
    shown = [mode for mode in modes if mode in FRAMES]  # "human" opens a window
    for mode in shown:
        try:
            _render_mode(session, mode)
        except Finding as found:
            # A machine without the library or the display that it needs shows nothing about it,
            # and to try on with another mode may abort the process (MuJoCo's does).
            missing = lacks_renderer(found)
            if missing:
                raise Skipped(f"{mode}: {missing}") from found
            raise Finding(f"{mode}: {found.message}", found.step, found.field, SEED) from found
    return ", ".join(shown) or "no mode that returns a frame"


def lacks_renderer(found: Finding) -> str:
    """Return why this machine cannot render, or nothing when the environment is at fault."""
    cause = found.__cause__
    if isinstance(cause, gymnasium.error.DependencyNotInstalled):
        return str(cause)
    words = type(cause).__name__ + str(cause)
    graphics = ("OpenGL", "GLFW", "gladLoad", "EGL", "OSMesa", "DISPLAY")
    if cause is not None and any(word.lower() in words.lower() for word in graphics):
        return f"this machine cannot draw it: {describe(cause)}"
    return ""


def _render_mode(session: Session, mode: str) -> None:
    with session.open(render_mode=mode) as probe:
        if probe.env.render_mode != mode:
            text = f"render_mode is {probe.env.render_mode!r}"
            raise Finding(text, field="render_mode")
        probe.reset(seed=SEED)
        for action in _few(probe, 3):
            _require_frame(mode, probe.render(), probe.at)
            if probe.done:
                break
            probe.step(action)
    if session.spec.nondeterministic:
        return
    expected = session.reference(SEED)[:40]
    with session.open(render_mode=mode) as probe:
        play = []
        for frame in frames(probe, SEED, len(expected) - 1, before_step=probe.render):
            play.append(frame)
            if len(play) == len(expected) or session.left() < 0:
                break
    compare(expected[: len(play)], play, SEED, f"not rendered, and rendered as {mode}")


def _few(probe: Probe, count: int) -> list[Any]:
    return [a for _, a in zip(range(count), actions(probe.env.action_space, SEED), strict=False)]


def _require_frame(mode: str, frame: Any, step: int) -> None:
    good = isinstance(frame, list)
    if mode == "rgb_array":
        good = isinstance(frame, np.ndarray) and frame.dtype == np.uint8
        good = good and frame.ndim == 3 and frame.shape[2] == 3
    elif mode == "depth_array":
        good = isinstance(frame, np.ndarray)
    elif mode == "ansi":
        good = isinstance(frame, str)
    if not good:
        shape = getattr(frame, "shape", "")
        text = f"returns a {type(frame).__name__} {shape}, not {FRAMES[mode]}"
        raise Finding(text, step, "render", SEED)


def close(session: Session) -> str:
    """The environment can be closed unused, in mid-episode, and twice."""
    with session.open():
        pass
    with session.open() as probe:
        probe.reset(seed=SEED)
        for action in _few(probe, 2):
            if not probe.done:
                probe.step(action)
        probe.close()
    return "unused, in mid-episode, and twice"
