"""Playing an environment and keeping what it returned, step by step, as deep copies."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gymnasium

from hub.conformance.outcome import Finding, blame
from hub.conformance.pulse import Pulse
from hub.conformance.snapshot import Snapshot, difference, digest, field_of, snapshot

Env = gymnasium.Env[Any, Any]
Step = tuple[Any, Any, Any, Any, dict[str, Any]]


class Probe:
    """An environment under test: every call is timed, and what it raises becomes a finding.

    Args:
        env: What `gymnasium.make` returned.
        pulse: Where each call is announced before it begins.

    Attributes:
        at: Step within the current episode; 0 is the reset.
        seed: The last seed given to `reset`.
        done: Whether the current episode has ended.
    """

    def __init__(self, env: Env, pulse: Pulse) -> None:
        self.env, self._pulse = env, pulse
        self.at, self.done = 0, False
        self.seed: int | None = None

    def reset(
        self, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset; a finding unless it returns `(observation, info)`."""
        self.at, self.done = 0, False
        # Vector environments take a list too; what is reported is the last single one.
        self.seed = seed if isinstance(seed, int) else self.seed
        with self._during("reset"):
            result = self.env.reset(seed=seed, options=options)
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)):
            raise Finding(
                f"reset must return (observation, info dict), not {_shape(result)}",
                step=0,
                seed=self.seed,
            )
        return result

    def step(self, action: Any) -> Step:
        """Step; a finding unless it returns the five values with an info dict."""
        self.at += 1
        with self._during("step"):
            result = self.env.step(action)
        if not (isinstance(result, tuple) and len(result) == 5 and isinstance(result[4], dict)):
            raise Finding(
                "step must return (observation, reward, terminated, truncated, info dict), "
                f"not {_shape(result)}",
                step=self.at,
                seed=self.seed,
            )
        with blame("the flags' truth value", self.at, self.seed):
            self.done = self._ended(result)
        return result

    @contextmanager
    def _during(self, call: str) -> Iterator[None]:
        with blame(call, self.at, self.seed), self._pulse.during(call, self.at, self.seed):
            yield

    def _ended(self, result: Step) -> bool:
        return bool(result[2]) or bool(result[3])

    def render(self) -> Any:
        """Render one frame."""
        with self._during("render"):
            return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        with self._during("close"):
            self.env.close()


@contextmanager
def blame_making(what: str, pulse: Pulse) -> Iterator[None]:
    """Like `blame`, for a constructor; announces it as the call `make`."""
    with blame(what), pulse.during("make"):
        yield


def _shape(result: Any) -> str:
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}: ({', '.join(type(r).__name__ for r in result)})"
    return f"a {type(result).__name__}"


def actions(space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
    """Yield actions of a private copy of `space`, the same for the same seed."""
    own = copy.deepcopy(space)
    own.seed(seed)
    while True:
        yield own.sample()


@dataclass(frozen=True)
class Frame:
    """What one reset or step returned.

    Attributes:
        episode: Number of the episode within the play.
        step: Step within the episode; 0 is the reset.
        data: Snapshot of observation, reward, terminated, truncated and info.
    """

    episode: int
    step: int
    data: Snapshot


def frame_of_reset(episode: int, observation: Any, info: Any) -> Frame:
    """Copy what `reset` returned."""
    return Frame(episode, 0, snapshot(observation, "observation") | snapshot(info, "info"))


def frame_of_step(episode: int, at: int, result: Step) -> Frame:
    """Copy what `step` returned."""
    data = snapshot(result[0], "observation")
    for name, value in zip(("reward", "terminated", "truncated"), result[1:4], strict=True):
        data |= snapshot(value, name)
    return Frame(episode, at, data | snapshot(result[4], "info"))


def frames(
    probe: Probe,
    seed: int,
    steps: int,
    *,
    before_step: Callable[[], None] | None = None,
    after: Callable[[Any], None] | None = None,
) -> Iterator[Frame]:
    """Play `steps` steps from `reset(seed=seed)`, yielding a frame for each reset and step.

    Episodes that end are followed by a reset without a seed, which must continue the generator
    that the first reset seeded.

    Args:
        probe: The environment.
        seed: Of the first reset and of the actions.
        steps: Number of steps, resets not counted.
        before_step: Called before each step.
        after: Called with each observation, once it has been copied.
    """
    episode = 0
    observation, info = probe.reset(seed=seed)
    yield frame_of_reset(episode, observation, info)
    if after:
        after(observation)
    for _, action in zip(range(steps), actions(probe.env.action_space, seed), strict=False):
        if probe.done:
            episode += 1
            observation, info = probe.reset()
            yield frame_of_reset(episode, observation, info)
            if after:
                after(observation)
        if before_step:
            before_step()
        result = probe.step(action)
        yield frame_of_step(episode, probe.at, result)
        if after:
            after(result[0])


def compare(
    first: Sequence[Frame], second: Sequence[Frame], seed: int, what: str, tolerance: float = 0.0
) -> None:
    """Raise a `Finding` at the first frame and field in which two plays differ.

    One play may be shorter, when the time ended it: an episode that ends elsewhere shows in the
    number of a step before that.
    """
    for a, b in zip(first, second, strict=False):
        found = difference(a.data, b.data, tolerance)
        if found or (a.episode, a.step) != (b.episode, b.step):
            path, values = found or ("terminated", "the episode ends at another step")
            episode = f" of episode {a.episode + 1}" if a.episode else ""
            raise Finding(
                f"{what}: {field_of(path)} differs{episode}: {values}",
                step=a.step,
                field=path,
                seed=seed,
            )


def digests(play: Sequence[Frame]) -> list[dict[str, str]]:
    """Return, for each frame, a hash of each field."""
    result = []
    for frame in play:
        fields: dict[str, Snapshot] = {}
        for path, leaf in frame.data.items():
            fields.setdefault(field_of(path), {})[path] = leaf
        result.append({name: digest(leaves) for name, leaves in fields.items()})
    return result
