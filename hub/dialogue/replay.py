"""Replaying a recorded episode, and grading it again: neither model nor sandbox is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium

from hub.dialogue.domain import Grade
from hub.dialogue.env import NO_REWARD, DialogueEnv
from hub.dialogue.record import Recording
from hub.dialogue.tasks import Task
from hub.errors import RecordError, ReplayDivergence
from hub.plugins import load
from hub.spaces import UnicodeText
from hub.trajectory import Outcome

Grader = Callable[[Task, Mapping[str, Any]], Grade]


class ReplayEnv(gymnasium.Env[str, str]):
    """A recorded episode as an environment: recorded observations for the recorded actions.

    It raises at the first action that is not the recorded one. An episode whose writer died is
    replayed as far as it goes.

    Args:
        recording: The episode.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # instances have their own

    def __init__(self, recording: Recording) -> None:
        self.metadata = dict(type(self).metadata)
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.render_mode = None
        self._recording = recording
        self._next: int | None = None

    def actions(self) -> list[str]:
        """Return what the model said, turn by turn."""
        return [turn.content for turn in self._recording.turns if turn.role == "assistant"]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin again; the seed is the recorded one, whatever is given."""
        super().reset(seed=seed)
        said = [i for i, turn in enumerate(self._recording.turns) if turn.role == "assistant"]
        self._next = said[0] if said else len(self._recording.turns)
        task = self._recording.task
        return task.prompt, {"task": task.id, **self._info(self._next)}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Return what the recorded episode returned for `action`.

        Raises:
            ReplayDivergence: It is not the recorded action, or the record ends here.
            ResetNeeded: Before `reset`.
        """
        if self._next is None:
            raise gymnasium.error.ResetNeeded("the replay has not begun; call reset()")
        turns, at = self._recording.turns, self._next
        number = sum(turn.role == "assistant" for turn in turns[:at]) + 1
        if at >= len(turns):
            raise ReplayDivergence(f"turn {number}: the record of {self._recording.episode} ends")
        if turns[at].content != action:
            raise ReplayDivergence(_contrast(number, turns[at].content, action))
        answered = at + 1 < len(turns) and turns[at + 1].role != "assistant"
        self._next = at + 1 + answered
        end = self._recording.end
        if end is not None and self._next == len(turns):
            reward = NO_REWARD if end["reward"] is None else float(end["reward"])
            return (
                end["observation"],
                reward,
                end["terminated"],
                end["truncated"],
                self._info(self._next, end),
            )
        if not answered:
            raise ReplayDivergence(f"turn {number}: its answer was not recorded; the writer died")
        return turns[at + 1].content, 0.0, False, False, self._info(self._next)

    def _info(self, upto: int, end: Mapping[str, Any] | None = None) -> dict[str, Any]:
        shown = self._recording.turns[:upto]
        info: dict[str, Any] = {
            "messages": [{"role": turn.role, "content": turn.content} for turn in shown]
        }
        if end is not None:
            names = ("outcome", "reason", "verdict", "reward", "reward_parts")
            info |= {name: end[name] for name in names}
        return info


def _contrast(number: int, recorded: str, given: str) -> str:
    pairs = enumerate(zip(recorded, given, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(recorded), len(given)))
    start = max(0, at - 20)
    return (
        f"turn {number} differs at character {at}: recorded {recorded[start : at + 20]!r}, "
        f"given {given[start : at + 20]!r}"
    )


def verify(recording: Recording) -> str:
    """Play a recording against itself; return how it stands: `complete` or `unfinished`.

    Raises:
        RecordError: It contradicts itself, or a line is not as it was written.
        TrajectoryError: Likewise, in tokens, flags or reward.
    """
    if recording.damage:
        raise RecordError(recording.damage)
    env = ReplayEnv(recording)
    env.reset()
    actions = env.actions()
    for number, action in enumerate(actions, 1):
        last = number == len(actions)
        try:
            _, _, terminated, truncated, _ = env.step(action)
        except ReplayDivergence:
            if recording.end is None and last:
                break
            raise
        if (terminated or truncated) != (last and recording.end is not None):
            raise RecordError(f"turn {number} of {recording.episode} does not end as recorded")
    if recording.end is None:
        return "unfinished"
    recording.trajectory().samples()
    return "complete"


@dataclass(frozen=True)
class Rescored:
    """The old and the new grade of one episode.

    Attributes:
        recording: The episode.
        grade: The new grade, or None where there is nothing to grade.
        note: Why there is nothing to grade, or what the grader failed by.
        failed: The grader raised, or returned something else than a grade.
    """

    recording: Recording
    grade: Grade | None
    note: str = ""
    failed: bool = False

    @property
    def old(self) -> float | None:
        """The recorded reward."""
        reward = self.recording.end["reward"] if self.recording.end else None
        return None if reward is None else float(reward)

    @property
    def new(self) -> float | None:
        """The new reward."""
        return None if self.grade is None else self.grade.reward


def rescore(recording: Recording, grade: Grader | None = None) -> Rescored:
    """Grade what was submitted again.

    Args:
        recording: The episode.
        grade: The grader; None takes that of the recorded environment, made anew.

    Raises:
        RecordError: The environment is not one of the registry's, so that a grader must be named.
    """
    end = recording.end
    if end is None:
        return Rescored(recording, None, "its end was not recorded")
    if end["outcome"] not in (Outcome.COMPLETED, Outcome.TRUNCATED) or not end["submission"]:
        return Rescored(recording, None, f"{end['outcome']}: nothing was submitted")
    grade = grade or domain_grader(recording)
    try:
        new = grade(recording.task, end["submission"])
    except Exception as error:  # one episode's failure must not hide the grades of the others
        return Rescored(recording, None, f"{type(error).__name__}: {error}", failed=True)
    if not isinstance(new, Grade):
        note = f"the grader returned a {type(new).__name__}; expected a hub.dialogue.Grade"
        return Rescored(recording, None, note, failed=True)
    return Rescored(recording, new)


def domain_grader(recording: Recording) -> Grader:
    """Return the grader of the environment that a recording names.

    Raises:
        RecordError: It was not made through the registry.
    """
    env_id, kwargs = recording.begin["env"], recording.begin["kwargs"]
    if kwargs is None:
        raise RecordError(
            f"episode {recording.episode}: {env_id!r} was not made by gymnasium.make, so its "
            "grader is not known; name one (--grader module:function)"
        )
    env = gymnasium.make(env_id, **kwargs).unwrapped
    if not isinstance(env, DialogueEnv):
        raise RecordError(f"episode {recording.episode}: {env_id} is no dialogue environment")
    return env.domain.grade


def grader_of(target: str) -> Grader:
    """Load the grader `module:function`, which takes a task and a submission.

    Raises:
        TargetError: There is no such function.
    """
    grade: Grader = load(target)
    return grade
