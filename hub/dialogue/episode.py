"""The state of one episode: conversation, tokens, outcome."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hub.dialogue.budget import Budget, Deadline
from hub.dialogue.domain import Domain, Submission
from hub.dialogue.rooms import Room
from hub.dialogue.tasks import Task
from hub.dialogue.tokens import Piece, Said, Tokenizer, TokenStore
from hub.dialogue.tools import Session, Toolbox
from hub.errors import SandboxError
from hub.trajectory import Outcome, Role, ToolCall, Trajectory, Turn, WeightSpan


class Episode:
    """One episode from its first message to its grade.

    Attributes:
        id: Unique.
        outcome: None while it runs.
        reward: The grade; None while it runs and where it has none.
        submission: What was graded, JSON values.
    """

    def __init__(
        self,
        task: Task,
        budget: Budget,
        deadline: Deadline,
        room: Room,
        toolbox: Toolbox,
        tokenizer: Tokenizer | None,
    ) -> None:
        self.id = uuid.uuid4().hex
        self.task = task
        self.deadline = deadline
        self.room = room
        self.turns: list[Turn] = []
        self.seed = 0
        self.outcome: Outcome | None = None
        self.reward: float | None = None
        self.parts: dict[str, float] = {}
        self.reason = ""
        self.terminated = self.truncated = False
        self.submission: Submission = {}
        self.timings: dict[str, float] = {}
        self.tools = toolbox.schemas
        self.store = TokenStore(tokenizer, toolbox.schemas) if tokenizer else None
        self.session = Session(task, budget, deadline, room.open)
        self._budget = budget
        self._start = time.monotonic()
        self._model_turns = 0

    # ---- the conversation ----

    def begin(self, system: str, seed: int) -> None:
        """Open with the system prompt and the task."""
        self.seed = seed
        opening: list[tuple[Role, str]] = [("system", system)] if system else []
        opening.append(("user", self.task.prompt))
        messages = [{"role": role, "content": text} for role, text in opening]
        piece = self.store.begin(messages) if self.store else None
        for role, text in opening[:-1]:
            self._add(role, text, None)
        # The template renders the opening as one text, so its ids belong to the last message.
        self._add("user", self.task.prompt, piece)

    def said(self, action: str, calls: Sequence[ToolCall]) -> None:
        """Append what the model said."""
        self._model_turns += 1
        piece = self.store.sampled(action) if self.store else _piece_of(action)
        self._add("assistant", str(action), piece)
        turn = self.turns[-1]
        turn = replace(turn, tool_calls=tuple(calls))
        if isinstance(action, Said):
            spans = tuple(WeightSpan(*span) for span in action.weight_spans)
            turn = replace(turn, finish_reason=action.finish_reason, weight_spans=spans)
        self.turns[-1] = turn

    def answered(self, text: str, final: bool = False) -> None:
        """Append the tools' answer; after the last turn the template's tail is not needed."""
        message = {"role": "tool", "content": text}
        piece = self.store.follow([message]) if self.store and not final else None
        self._add("tool", text, piece)

    def _add(self, role: Role, text: str, piece: Piece | None) -> None:
        now = time.monotonic() - self._start
        began = self.turns[-1].ended if self.turns else 0.0
        turn = Turn(role, text, started=began, ended=now)
        if piece is not None:
            turn = replace(
                turn,
                token_ids=piece.ids,
                sampled=piece.sampled,
                logprobs=piece.logprobs,
                segment=piece.segment,
            )
        self.turns.append(turn)

    def messages(self) -> list[dict[str, Any]]:
        """Return the conversation as role/content dicts, fresh ones."""
        return [{"role": turn.role, "content": turn.content} for turn in self.turns]

    def tokens(self) -> dict[str, Any]:
        """Return ids, mask and logprobs of the current sequence, and what went wrong with it.

        `ids` is what the engine must be sent next.
        """
        assert self.store is not None
        return {
            "ids": self.store.ids,
            "mask": self.store.mask,
            "logprobs": self.store.logprobs,
            "segment": self.store.segment,
            "drifted": self.store.drifted,
            "splits": self.store.splits,
        }

    def transcript(self) -> str:
        """Return the conversation as text."""
        body = "\n\n".join(f"[{turn.role}]\n{turn.content}" for turn in self.turns)
        if self.outcome is None:
            return body
        return f"{body}\n\n[{self.outcome}] reward {self.reward} {self.reason}".rstrip()

    # ---- its end ----

    def spent(self) -> str | None:
        """Return the name of the budget that is used up, or None."""
        if self._model_turns >= self._budget.turns:
            return "turns"
        if self.deadline.passed():
            return "time"
        used = sum(len(turn.token_ids) for turn in self.turns)
        return "tokens" if self._budget.tokens is not None and used >= self._budget.tokens else None

    def complete(self, reason: str) -> None:
        """End by the task's own rules; the grade follows."""
        self.outcome, self.reason, self.terminated = Outcome.COMPLETED, reason, True

    def truncate(self, reason: str) -> None:
        """End by a budget; what there is will be graded."""
        self.outcome, self.reason, self.truncated = Outcome.TRUNCATED, reason, True

    def fail(self, outcome: Outcome, reason: str, reward: float | None = None) -> None:
        """End by a failure: the agent's with its reward, any other with none."""
        self.outcome, self.reason, self.reward = outcome, reason, reward
        self.terminated = outcome is Outcome.AGENT_ERROR
        self.truncated = not self.terminated

    def grade(self, domain: Domain) -> None:
        """Collect the submission and grade it; a failure of ours leaves no reward."""
        try:
            answer = self.session.answer
            self.submission = domain.collect(self.task, answer, self.room.sandbox)
            grade = domain.grade(self.task, self.submission)
        except SandboxError as error:
            if error.attribution == "agent":
                self.fail(Outcome.AGENT_ERROR, str(error), domain.failure_reward)
            else:
                self.fail(Outcome.INFRA_ERROR, f"grading: {error}")
            return
        except Exception as error:  # a grader's bug is the environment's failure, never a score
            self.fail(Outcome.ENV_ERROR, f"grading: {type(error).__name__}: {error}")
            return
        self.parts = dict(grade.parts)
        if grade.outcome is Outcome.COMPLETED:
            self.reward = grade.reward
            self.reason = grade.reason or self.reason
        else:
            self.fail(grade.outcome, grade.reason, grade.reward)

    def trajectory(self, env_id: str) -> Trajectory:
        """Return the finished episode's record."""
        assert self.outcome is not None
        return Trajectory(
            episode=self.id,
            env=env_id,
            task=self.task.id,
            seed=self.seed,
            turns=tuple(self.turns),
            reward=self.reward,
            outcome=self.outcome,
            reward_parts=self.parts,
            terminated=self.terminated,
            truncated=self.truncated,
            reason=self.reason,
            tools=self.tools,
            network=self.room.network,
            unsafe=self.room.unsafe,
            timings=self.timings,
        )


def _piece_of(action: str) -> Piece | None:
    """Return the ids that an action carries where no tokenizer is bound."""
    if not isinstance(action, Said):
        return None
    ones = np.ones(len(action.token_ids), np.uint8)
    return Piece(action.token_ids, ones, action.logprobs, 0)
