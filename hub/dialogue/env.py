"""`DialogueEnv`: a multi-turn text task as a `gymnasium.Env`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
from gymnasium.error import ResetNeeded

from hub.dialogue.budget import Budget, Deadline, shorten
from hub.dialogue.domain import Domain
from hub.dialogue.episode import Episode
from hub.dialogue.parsers import Parser
from hub.dialogue.record import Recorder
from hub.dialogue.rooms import SandboxOptions
from hub.dialogue.tasks import Task
from hub.dialogue.tokens import Tokenizer
from hub.dialogue.tools import Toolbox, ToolResult
from hub.errors import ClosedError, InvalidAction, SandboxError, TaskError, ToolMisuse
from hub.registry import full_id
from hub.spaces import UnicodeText
from hub.trajectory import Outcome, ToolCall, Trajectory

NO_REWARD = float("nan")


class DialogueEnv(gymnasium.Env[str, str]):
    """Text in, text out; one episode is one task.

    Observation: `UnicodeText`; what the model must read next (the task at `reset`, then the
    tools' answers). `info["messages"]` has the whole conversation as role/content dicts.

    Action: `UnicodeText`; what the model said. A `hub.dialogue.Said` is a string that carries the
    token ids and logprobs it was decoded from; any other string works without them.

    Reward: 0 until the end, then the grade. Where the episode has no grade (environment or
    infrastructure failed: `info["outcome"]`) it is NaN and `info["reward"]` is None, so that no
    failure of ours passes for a wrong answer.

    Episode end: terminated when the task ends by its own rules or the agent broke its sandbox;
    truncated, with `info["reason"]`, when a budget is used up or something of ours failed.

    Seeding: `reset(seed=s)` chooses the task; `options={"task": id_or_index}` names it instead.

    Args:
        domain: The kind of task.
        parser: Finds tool calls in the model's text.
        toolbox: The domain's tools.
        budget: What an episode may use.
        sandbox: Provider, limits and network of the episodes' sandboxes.
        tokenizer: Bound, `info["tokens"]` holds the append-only token ids.
        record: JSONL file to which every episode is appended as it happens.
        render_mode: `"ansi"` or None.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]  # a class variable in Gymnasium too, declared as an instance's

    def __init__(
        self,
        domain: Domain,
        parser: Parser,
        toolbox: Toolbox,
        *,
        budget: Budget | None = None,
        sandbox: SandboxOptions | None = None,
        tokenizer: Tokenizer | None = None,
        record: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.domain = domain
        self.budget = budget or Budget()
        self.render_mode = render_mode
        self._parser = parser
        self._toolbox = toolbox
        self._sandbox = sandbox or SandboxOptions()
        self._tokenizer = tokenizer
        self._recorder = Recorder(record) if record else None
        self._episode: Episode | None = None
        self._closed = False

    # ---- Gymnasium ----

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin the episode of a task.

        Raises:
            TaskError: `options["task"]` names no task.
        """
        if self._closed:
            raise ClosedError("the environment is closed; make another one")
        super().reset(seed=seed)
        self._end_episode()
        task = self._choose(options or {})
        used = self.np_random_seed if seed is None else seed
        deadline = Deadline(self.budget.seconds)
        room = self._sandbox.room(self.domain, task, deadline)
        episode = Episode(task, self.budget, deadline, room, self._toolbox, self._tokenizer)
        self._episode = episode
        system = "\n\n".join(
            part
            for part in (
                self.domain.system(task),
                self._parser.instructions(self._toolbox.schemas) if self._toolbox.schemas else "",
            )
            if part
        )
        episode.begin(system, seed=-1 if used is None else used)
        if self._recorder:
            self._recorder.begin(self._env_id(), episode)
        return task.prompt, self._info(episode)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take what the model said; run the calls in it.

        A malformed call is answered by an error observation and the episode goes on.

        Raises:
            ResetNeeded: Before `reset` or after the end of the episode.
            InvalidAction: The action is no text.
        """
        episode = self._episode
        if episode is None or episode.outcome is not None:
            raise ResetNeeded("the episode has ended or not begun; call reset()")
        if not self.action_space.contains(action):
            raise InvalidAction(
                f"action of type {type(action).__name__}: expected a str that UTF-8 can encode, "
                f"in {self.action_space}"
            )
        try:
            observation = self._turn(episode, action)
        except SandboxError as error:
            observation = self._lost(episode, error)
        # Any exception of a tool, domain or parser is the environment's failure, and it ends the
        # episode with a name, not the rollout with a traceback.
        except Exception as error:
            episode.fail(Outcome.ENV_ERROR, f"{type(error).__name__}: {error}")
            observation = "the environment failed"
        if episode.outcome is not None:
            self._finish(episode)
        reward = 0.0 if episode.outcome is None else episode.reward
        return (
            observation,
            NO_REWARD if reward is None else float(reward),
            episode.terminated,
            episode.truncated,
            self._info(episode),
        )

    def render(self) -> str | None:
        """Return the conversation so far as text, or None without a render mode."""
        if self.render_mode is None or self._episode is None:
            return None
        return self._episode.transcript()

    def close(self) -> None:
        """End the sandbox; safe to call again."""
        self._end_episode()
        self._closed = True

    # ---- beyond Gymnasium ----

    def trajectory(self) -> Trajectory:
        """Return the record of the episode that has ended.

        Raises:
            ResetNeeded: No episode has ended.
        """
        if self._episode is None or self._episode.outcome is None:
            raise ResetNeeded("no episode has ended; step to its end first")
        return self._episode.trajectory(self._env_id())

    def cancel(self, reason: str = "cancelled") -> None:
        """End the running episode without a grade; a finished or absent one stays as it is."""
        if self._episode is not None and self._episode.outcome is None:
            self._episode.fail(Outcome.CANCELLED, reason)
            self._finish(self._episode)

    def _env_id(self) -> str:
        return full_id(self.spec.id) if self.spec is not None else self.domain.name

    def _choose(self, options: Mapping[str, Any]) -> Task:
        unknown = sorted(set(options) - {"task"})
        if unknown:
            raise TaskError(f"reset option {unknown[0]!r}: expected 'task'")
        source, wanted = self.domain.source, options.get("task")
        if wanted is None:
            return source.get(int(self.np_random.integers(len(source))))
        if isinstance(wanted, int):
            try:
                return source.get(wanted)
            except IndexError:
                raise TaskError(f"task {wanted}: the source has {len(source)}") from None
        for index in range(len(source)):
            task = source.get(index)
            if task.id == wanted:
                return task
        raise TaskError(f"task {wanted!r}: not among the {len(source)} of {self.domain.name}")

    def _turn(self, episode: Episode, action: str) -> str:
        parsed = self._parser.parse(str(action), self._toolbox.schemas)
        episode.said(action, parsed.calls)
        if self._recorder:
            self._recorder.turn(episode)
        answers = [f"error: {error}" for error in parsed.errors]
        for call in parsed.calls:
            result = self._call(episode, call)
            answers.append(shorten(result.text, self.budget.output))
            if result.done:
                episode.complete("finish")
            if result.done or episode.deadline.passed():
                break
        if not answers:
            if self.domain.text_ends:
                episode.session.answer = str(action)
                episode.complete("answer")
            else:
                answers.append("error: no tool call in this message; every message needs one")
        observation = "\n".join(answers)
        if episode.outcome is None:
            episode.answered(observation, final=episode.spent() is not None)
            reason = episode.spent()
            if reason:
                episode.truncate(reason)
        if self._recorder and answers:
            self._recorder.turn(episode)
        return observation

    def _call(self, episode: Episode, call: ToolCall) -> ToolResult:
        try:
            return self._toolbox.call(call, episode.session)
        except ToolMisuse as misuse:
            return ToolResult(f"error: {misuse}")

    def _lost(self, episode: Episode, error: SandboxError) -> str:
        """Attribute a lost sandbox by the table of `hub.trajectory.Outcome`."""
        if error.attribution == "agent":
            episode.fail(Outcome.AGENT_ERROR, str(error), reward=self.domain.failure_reward)
        elif error.attribution == "budget":
            episode.truncate("time")
        else:
            unknown = "attribution unknown: " if error.attribution == "unknown" else ""
            episode.fail(Outcome.INFRA_ERROR, f"{unknown}{error}")
        return f"the sandbox is lost: {error}"

    def _finish(self, episode: Episode) -> None:
        """Grade what has a grade, end the sandbox, write the record."""
        started = time.monotonic()
        if episode.reward is None and episode.outcome in (Outcome.COMPLETED, Outcome.TRUNCATED):
            episode.grade(self.domain)
        episode.timings["grade"] = time.monotonic() - started
        episode.room.close()
        if self._recorder:
            self._recorder.end(episode)

    def _end_episode(self) -> None:
        if self._episode is not None:
            self.cancel("a new episode began")
            self._episode.room.close()

    def _info(self, episode: Episode) -> dict[str, Any]:
        info: dict[str, Any] = {
            "task": episode.task.id,
            "messages": episode.messages(),
            "tools": list(self._toolbox.schemas),
        }
        if episode.store is not None:
            info["tokens"] = episode.tokens()
        if episode.outcome is not None:
            info |= {
                "outcome": str(episode.outcome),
                "reason": episode.reason,
                "reward": episode.reward,
                "reward_parts": dict(episode.parts),
            }
        return info
