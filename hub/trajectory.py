"""Turn, Trajectory, Outcome: the one record of an episode that every trainer adapter reshapes.

Token ids are append-only: what the engine returned is stored and never encoded again. The flat
arrays that trainers want (`Trajectory.samples`) are concatenations of the turns' arrays, so they
cannot disagree with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hub.errors import TrajectoryError

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "abort", "error"]


class Outcome(StrEnum):
    """Whose doing the end of an episode was; decides whether its reward means anything.

    `completed` and `truncated` carry the grade, `agent_error` the task's failure reward; the
    other three carry no reward at all (None) and stay out of group statistics and loss.
    """

    COMPLETED = "completed"
    TRUNCATED = "truncated"
    AGENT_ERROR = "agent_error"
    ENV_ERROR = "env_error"
    INFRA_ERROR = "infra_error"
    CANCELLED = "cancelled"

    @property
    def trainable(self) -> bool:
        """Whether the episode counts in group statistics and loss."""
        return self in (Outcome.COMPLETED, Outcome.TRUNCATED, Outcome.AGENT_ERROR)


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool that a model's text asked for.

    Attributes:
        name: The tool's name.
        arguments: Its arguments, JSON values.
        id: Identifies the call within the episode, or empty.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class WeightSpan:
    """The policy version that sampled the tokens `start` to `end` (exclusive) of a turn."""

    version: str
    start: int
    end: int


def _no_ids() -> NDArray[np.int32]:
    return np.zeros(0, np.int32)


def _no_mask() -> NDArray[np.uint8]:
    return np.zeros(0, np.uint8)


def _no_logprobs() -> NDArray[np.float32]:
    return np.zeros(0, np.float32)


@dataclass(frozen=True, eq=False)
class Turn:
    """One message, with the tokens that it added to the sequence.

    Attributes:
        role: Who said it.
        content: Its text, verbatim.
        tool_calls: The calls that the parser found in it.
        token_ids: `[n] int32`, the ids appended by this turn (template tokens included).
        sampled: `[n] uint8`, 1 where the policy sampled the id.
        logprobs: `[n] float32`, log-probability (natural log) under the sampling distribution,
            after temperature and truncation; 0 where not sampled.
        raw_logprobs: `[n] float32` before temperature and truncation, or empty.
        finish_reason: Why sampling stopped; None for turns that nobody sampled.
        weight_spans: Which policy version sampled which ids.
        segment: Index of the token sequence that this turn appends to; it grows by one where the
            chat template rewrote the history, so that the earlier ids are no prefix any more.
        started: Seconds since the episode began, and `ended`.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    token_ids: NDArray[np.int32] = field(default_factory=_no_ids)
    sampled: NDArray[np.uint8] = field(default_factory=_no_mask)
    logprobs: NDArray[np.float32] = field(default_factory=_no_logprobs)
    raw_logprobs: NDArray[np.float32] = field(default_factory=_no_logprobs)
    finish_reason: FinishReason | None = None
    weight_spans: tuple[WeightSpan, ...] = ()
    segment: int = 0
    started: float = 0.0
    ended: float = 0.0

    def __post_init__(self) -> None:
        for name, dtype in (
            ("token_ids", np.int32),
            ("sampled", np.uint8),
            ("logprobs", np.float32),
            ("raw_logprobs", np.float32),
        ):
            given = np.asarray(getattr(self, name))
            array = given.astype(dtype) if given.dtype.kind in "iufb" else np.zeros((0, 0), dtype)
            exact = dtype is np.float32 or np.array_equal(array, given)
            if array.ndim != 1 or not exact:
                raise TrajectoryError(
                    f"{self.role} turn: {name} of shape {given.shape} and dtype {given.dtype} "
                    f"does not fit one dimension of {np.dtype(dtype)}"
                )
            object.__setattr__(self, name, array)
        self._check_lengths()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Turn):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def _check_lengths(self) -> None:
        n = len(self.token_ids)
        if len(self.sampled) != n or len(self.logprobs) != n:
            raise TrajectoryError(
                f"{self.role} turn: {n} token ids but {len(self.sampled)} mask values and "
                f"{len(self.logprobs)} logprobs; the three must be of one length"
            )
        if len(self.raw_logprobs) not in (0, n):
            raise TrajectoryError(
                f"{self.role} turn: {len(self.raw_logprobs)} raw logprobs for {n} ids"
            )
        if n and not np.isfinite(self.logprobs).all():
            raise TrajectoryError(f"{self.role} turn: a logprob is not finite")
        position = 0
        for span in self.weight_spans:
            if not position <= span.start <= span.end <= n:
                raise TrajectoryError(f"{self.role} turn: {span} is out of order or beyond {n} ids")
            position = span.end


@dataclass(frozen=True)
class Sample:
    """One flat training row.

    Attributes:
        tokens: `[n] int32`.
        loss_mask: `[n] uint8`, 1 where the policy sampled the id.
        logprobs: `[n] float32` under the sampling distribution, 0 where not sampled.
    """

    tokens: NDArray[np.int32]
    loss_mask: NDArray[np.uint8]
    logprobs: NDArray[np.float32]

    @classmethod
    def join(cls, turns: Sequence[Turn]) -> Sample:
        """Concatenate the arrays of `turns`."""
        return cls(
            np.concatenate([np.zeros(0, np.int32), *(t.token_ids for t in turns)]),
            np.concatenate([np.zeros(0, np.uint8), *(t.sampled for t in turns)]),
            np.concatenate([np.zeros(0, np.float32), *(t.logprobs for t in turns)]),
        )


@dataclass(frozen=True)
class Trajectory:
    """One episode of a dialogue environment.

    Attributes:
        episode: Unique id of this episode.
        env: `hub:` id of the environment.
        task: Id of the task within its source.
        seed: The seed given to `reset`, or -1 where it went on with its stream.
        turns: The messages in order.
        reward: The grade, or None where `outcome` makes it meaningless.
        outcome: Whose doing the end was.
        group: Id shared by the attempts at one task that are compared with each other.
        attempt: Index of this attempt within its group.
        reward_parts: What the grade is made of.
        terminated: The task ended by its own rules.
        truncated: A budget or a failure cut it.
        reason: Why it ended (`turns`, `tokens`, `time`, `finish`, an error's text).
        verdict: What the grader said, for people.
        tools: JSON schemas of the tools that were offered.
        network: Whether the sandbox had a network.
        unsafe: Whether it ran without a sandbox (`local` provider).
        versions: Environment, hub and grader versions.
        timings: Seconds by stage.
    """

    episode: str
    env: str
    task: str
    seed: int
    turns: tuple[Turn, ...]
    reward: float | None
    outcome: Outcome
    group: str = ""
    attempt: int = 0
    reward_parts: Mapping[str, float] = field(default_factory=dict)
    terminated: bool = False
    truncated: bool = False
    reason: str = ""
    verdict: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()
    network: bool = False
    unsafe: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.outcome.trainable and self.reward is not None:
            raise TrajectoryError(
                f"episode {self.episode}: outcome {self.outcome} carries reward {self.reward}; "
                "expected None, since a crash is never a wrong answer"
            )
        if self.outcome.trainable and self.reward is None:
            raise TrajectoryError(
                f"episode {self.episode}: outcome {self.outcome} without a reward"
            )
        if self.terminated == self.truncated:
            raise TrajectoryError(
                f"episode {self.episode}: terminated={self.terminated} and "
                f"truncated={self.truncated}; expected exactly one of them"
            )

    def samples(self) -> list[Sample]:
        """Return the training rows: one for each segment, in order.

        Where no prefix broke, that is one row with every token of the episode.
        """
        last = max((turn.segment for turn in self.turns), default=-1)
        return [
            Sample.join([turn for turn in self.turns if turn.segment == segment])
            for segment in range(last + 1)
        ]
