"""The state of one episode: conversation, tokens, outcome."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hub.dialogue.blame import blame
from hub.dialogue.budget import Budget, Deadline, shorten
from hub.dialogue.domain import Domain, Submission
from hub.dialogue.readable import readable
from hub.dialogue.rooms import Room
from hub.dialogue.tasks import Task
from hub.dialogue.tokens import Piece, Said, Tokenizer, TokenStore
from hub.dialogue.tools import Session, Toolbox
from hub.trajectory import Outcome, Role, ToolCall, Trajectory, Turn, WeightSpan


class Episode:
    """One episode from its first message to its grade.

    Attributes:
        id: Unique.
        outcome: None while it runs.
        reward: The grade; None while it runs and where it has none.
        reason: Why it ended: a budget's name, `finish`, `answer`, or what failed.
        verdict: What the grader said, for people.
        submission: What was graded, JSON values.
        observation: What the model was last given to read.
        output: Code points that the tools have put out.
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
        self.observation = task.prompt
        self.output = 0
        self.reason = ""
        self.verdict = ""
        self.terminated = self.truncated = False
        self.submission: Submission = {}
        self.timings: dict[str, float] = {}
        self.tools = toolbox.schemas
        self.store = TokenStore(tokenizer) if tokenizer is not None else None
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
        piece = self.store.begin(messages) if self.store is not None else None
        for role, text in opening[:-1]:
            self._add(role, text, None)
        # The template renders the opening as one text, so its ids belong to the last message.
        self._add("user", self.task.prompt, piece)

    def said(self, action: str, calls: Sequence[ToolCall]) -> None:
        """Append what the model said."""
        self._model_turns += 1
        piece = self.store.sampled(action) if self.store is not None else _piece_of(action)
        self._add("assistant", str(action), piece)
        turn = self.turns[-1]
        turn = replace(turn, tool_calls=tuple(calls))
        if isinstance(action, Said):
            turn = replace(
                turn,
                finish_reason=action.finish_reason,
                weight_spans=tuple(WeightSpan(*span) for span in action.weight_spans),
                raw_logprobs=action.raw_logprobs,
            )
        self.turns[-1] = turn

    def answered(self, text: str, final: bool = False) -> None:
        """Append the tools' answer; after the last turn the template's tail is not needed."""
        message = {"role": "tool", "content": text}
        piece = self.store.follow([message]) if self.store is not None and not final else None
        self._add("tool", text, piece)

    def put_out(self, text: str) -> str:
        """Count a tool's output; return as much of it as the model is shown."""
        self.output += len(text)
        return shorten(text, self._budget.command_output)

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
        elif self.store is not None:
            turn = replace(turn, segment=self.store.segment)
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
        """Return the conversation as text for people."""
        body = "\n\n".join(f"[{turn.role}]\n{readable(turn)}" for turn in self.turns)
        if self.outcome is None:
            return body
        end = f"[{self.outcome}] reward {self.reward}, {self.reason}; {self.verdict}"
        return f"{body}\n\n{end}".rstrip("; ")

    # ---- its end ----

    def spent(self) -> str | None:
        """Return the name of the budget that is used up, or None."""
        budget = self._budget
        if self._model_turns >= budget.turns:
            return "turns"
        over = self.over()
        if over is not None:
            return over
        if self.store is not None:
            used = len(self.store)
        else:
            used = sum(len(turn.token_ids) for turn in self.turns)
        return "tokens" if budget.tokens is not None and used >= budget.tokens else None

    def over(self) -> str | None:
        """Return the name of the budget that ends even this turn, or None."""
        if self.deadline.passed():
            return "time"
        limit = self._budget.output
        return "output" if limit is not None and self.output >= limit else None

    def complete(self, reason: str) -> None:
        """End by the task's own rules; the grade follows."""
        self.outcome, self.reason = Outcome.COMPLETED, reason
        self.terminated, self.truncated = True, False

    def truncate(self, reason: str) -> None:
        """End by a budget; what there is will be graded."""
        self.outcome, self.reason = Outcome.TRUNCATED, reason
        self.terminated, self.truncated = False, True

    def fail(self, outcome: Outcome, reason: str, reward: float | None = None) -> None:
        """End by a failure: the agent's with its reward, any other with none."""
        self.outcome, self.reason, self.reward = outcome, reason, reward
        self.terminated = outcome is Outcome.AGENT_ERROR
        self.truncated = not self.terminated

    def failed(self, error: Exception, domain: Domain) -> None:
        """End by an exception, attributed by `hub.dialogue.blame`."""
        outcome, reason = blame(error)
        if outcome is Outcome.TRUNCATED:
            self.truncate(reason)
        else:
            agent = outcome is Outcome.AGENT_ERROR
            self.fail(outcome, reason, domain.failure_reward if agent else None)

    def grade(self, domain: Domain) -> None:
        """Collect the submission and grade it; a failure of ours leaves no reward."""
        try:
            answer = self.session.answer
            self.submission = domain.collect(self.task, answer, self.room.sandbox)
            grade = domain.grade(self.task, self.submission)
        except Exception as error:  # a grader's bug is the environment's failure, never a score
            self.failed(error, domain)
            if self.outcome is Outcome.TRUNCATED:
                # Its lifetime holds a reserve for this, so who used it up cannot be told.
                self.fail(Outcome.INFRA_ERROR, f"attribution unknown: {error}")
            self.reason = f"grading: {self.reason}"
            return
        self.parts = dict(grade.parts)
        if grade.outcome is Outcome.AGENT_ERROR:
            self.fail(grade.outcome, grade.reason, domain.failure_reward)
        elif grade.outcome is not Outcome.COMPLETED:
            self.fail(grade.outcome, grade.reason)
        elif grade.reward is None or not math.isfinite(grade.reward):
            self.fail(Outcome.ENV_ERROR, f"grading: reward {grade.reward!r} of a completed grade")
        else:
            self.reward = float(grade.reward)
        self.verdict = grade.reason

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
            verdict=self.verdict,
            tools=self.tools,
            network=self.room.network,
            unsafe=self.room.unsafe,
            versions=versions(),
            timings=self.timings,
        )


def versions() -> dict[str, str]:
    """Return the versions that a record names."""
    from hub import __version__  # here, since the package may be half imported above

    return {"gymhub": __version__}


def _piece_of(action: str) -> Piece | None:
    """Return the ids that an action carries where no tokenizer is bound."""
    if not isinstance(action, Said):
        return None
    ones = np.ones(len(action.token_ids), np.uint8)
    return Piece(action.token_ids, ones, action.logprobs, 0)
