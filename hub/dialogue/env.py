"""`DialogueEnv`: a multi-turn text task as a `gymnasium.Env`."""

from __future__ import annotations

import copy
import operator
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded

from hub.dialogue.budget import Budget, Deadline, shorten
from hub.dialogue.domain import Domain
from hub.dialogue.episode import Episode
from hub.dialogue.hf import tokenizer_of
from hub.dialogue.lookup import parser_of, tools_of
from hub.dialogue.parsers import Parser
from hub.dialogue.record import Recorder
from hub.dialogue.rooms import SandboxOptions
from hub.dialogue.tasks import Task, place_of
from hub.dialogue.tokens import Tokenizer, encodable
from hub.dialogue.tools import Tool, Toolbox, ToolResult
from hub.errors import ClosedError, InvalidAction, RecordError, TaskError, ToolMisuse
from hub.registry import full_id
from hub.seeds import check_options
from hub.spaces import UnicodeText
from hub.trajectory import Outcome, ToolCall, Trajectory

# Code points of one observation, whatever number of calls it answers.
LONGEST = 500_000
NO_REWARD = float("nan")
# Where a record goes, how it is shown and batched does not belong to what was played.
_NOT_RECORDED = (
    "record", "render_mode", "tokenizer", "num_envs", "autoreset_mode", "vectorization_mode",
)  # fmt: skip


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

    Subclass it for a kind of task; every option but the domain is a JSON value, so that a card, a
    command line and a server can give it:

    ```python
    class Sums(DialogueEnv):
        def __init__(
            self,
            *,
            tasks: str = "acme_sums",
            split: str = "train",
            tools: Sequence[str] = (),
            parser: str = "hermes",
            budget: dict[str, Any] | None = None,
            sandbox: dict[str, Any] | None = None,
            tokenizer: str | None = None,
            record: str | None = None,
            render_mode: str | None = None,
        ) -> None:
            super().__init__(
                SumsDomain(find_tasks(tasks, split)),
                tools=tools,
                parser=parser,
                budget=Budget.of(budget, turns=8),
                sandbox=sandbox,
                tokenizer=tokenizer,
                record=record,
                render_mode=render_mode,
            )


    SumsVector = vector_class(Sums)
    ```

    A card then has `entry_point="acme.sums:Sums"` and `vector_entry_point="acme.sums:SumsVector"`.

    Args:
        domain: The kind of task.
        tools: Tools besides the domain's: registered names (`"search:PATH"`), or tools.
        parser: Finds tool calls in the model's text: a registered name, or a parser.
        budget: What an episode may use: fields of `Budget`, or a budget.
        sandbox: How its sandbox is made: fields of `SandboxOptions`, or options.
        tokenizer: Bound, `info["tokens"]` holds the append-only token ids: a directory that
            `hub.dialogue.hf` can read, or a tokenizer.
        record: JSONL file to which every episode is appended as it happens.
        render_mode: `"ansi"` or None.

    Raises:
        UnknownOption: A name or field that there is not, or a value of another kind.
        MissingDependency: A part that was asked for is absent; the message has the fix.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  # instances have their own

    def __init__(
        self,
        domain: Domain,
        *,
        tools: Sequence[str | Tool] = (),
        parser: str | Parser = "hermes",
        budget: Budget | Mapping[str, Any] | None = None,
        sandbox: SandboxOptions | Mapping[str, Any] | None = None,
        tokenizer: str | Tokenizer | None = None,
        record: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        # Gymnasium 1.1 and 1.2 write the autoreset mode into the metadata of what they vectorise.
        self.metadata = dict(type(self).metadata)
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r}: expected 'ansi' or None")
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText()
        self.domain = domain
        self.budget = Budget.of(budget)
        self.render_mode = render_mode
        self._parser = parser_of(parser)
        self._toolbox = Toolbox([*tools_of(domain.tools), *tools_of(tools)])
        self._sandbox = SandboxOptions.of(sandbox)
        self._tokenizer = tokenizer_of(tokenizer)
        if self.budget.tokens is not None and self._tokenizer is None:
            warnings.warn(
                f"budget tokens={self.budget.tokens}: no tokenizer is bound, so that only the ids "
                "count that actions carry (hub.dialogue.Said); text without ids is not limited. "
                "Fix: give the option tokenizer",
                stacklevel=2,
            )
        self._recorder = Recorder(record) if record is not None else None
        self._episode: Episode | None = None
        self._cancelled = ""
        self._busy = threading.Lock()
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
        deadline = Deadline(self.budget.seconds)
        room = self._sandbox.room(self.domain, task, deadline)
        episode = Episode(task, self.budget, deadline, room, self._toolbox, self._tokenizer)
        self._cancelled = ""
        self._episode = episode
        schemas = self._toolbox.schemas
        syntax = self._parser.instructions(schemas) if schemas else ""
        system = "\n\n".join(part for part in (self.domain.system(task), syntax) if part)
        episode.begin(system, seed=-1 if seed is None else seed)
        if self._recorder:
            self._recorder.begin(self._source(), episode)
        tools = [copy.deepcopy(dict(schema)) for schema in schemas]
        return task.prompt, {"task": task.id, "tools": tools, **self._info(episode)}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take what the model said; run the calls in it.

        A malformed call is answered by an error observation and the episode goes on. A lone
        surrogate, which is no text, is read as U+FFFD.

        Raises:
            ResetNeeded: Before `reset` or after the end of the episode.
            InvalidAction: The action is no text.
            RecordError: The record cannot be written.
        """
        with self._busy:
            episode = self._running()
            action = encodable(action)
            self._require_text(action)
            episode.observation = self._attempt(episode, action)
            if self._cancelled:
                episode.fail(Outcome.CANCELLED, self._cancelled)
            if episode.outcome is not None:
                self._finish(episode)
            reward = 0.0 if episode.outcome is None else episode.reward
            return (
                episode.observation,
                NO_REWARD if reward is None else float(reward),
                episode.terminated,
                episode.truncated,
                self._info(episode),
            )

    def _running(self) -> Episode:
        if self._closed:
            raise ClosedError("the environment is closed; make another one")
        if self._episode is None or self._episode.outcome is not None:
            raise ResetNeeded("the episode has ended or not begun; call reset()")
        return self._episode

    def _require_text(self, action: str) -> None:
        if not self.action_space.contains(action):
            raise InvalidAction(
                f"action of type {type(action).__name__}: expected a str that UTF-8 can encode, "
                f"in {self.action_space}"
            )

    def _attempt(self, episode: Episode, action: str) -> str:
        try:
            return self._turn(episode, action)
        except RecordError:
            raise
        # Any exception of a tool, domain or parser ends the episode with a name, not the rollout
        # with a traceback.
        except Exception as error:
            episode.failed(error, self.domain)
            return f"the episode ended: {episode.outcome}: {episode.reason}"

    def render(self) -> str | None:
        """Return the conversation so far as text, or None without a render mode."""
        if self.render_mode is None or self._episode is None:
            return None
        return self._episode.transcript()

    def close(self) -> None:
        """End the sandbox; safe to call again."""
        self._end_episode()
        self._closed = True

    def __getstate__(self) -> dict[str, Any]:
        # A sandbox cannot travel; an environment between two episodes can.
        if self._episode is not None and self._episode.outcome is None:
            raise TypeError("a running episode cannot be pickled; step to its end or cancel() it")
        return {**self.__dict__, "_busy": None, "_episode": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "_busy": threading.Lock()}

    # ---- beyond Gymnasium ----

    @property
    def task(self) -> Task:
        """The task of the episode that runs, or ran last.

        Raises:
            ResetNeeded: There was none yet.
        """
        if self._episode is None:
            raise ResetNeeded("no episode has begun; call reset()")
        return self._episode.task

    def trajectory(self) -> Trajectory:
        """Return the record of the episode that has ended.

        Raises:
            ResetNeeded: No episode has ended.
        """
        if self._episode is None or self._episode.outcome is None:
            raise ResetNeeded("no episode has ended; step to its end first")
        return self._episode.trajectory(self._env_id())

    def cancel(self, reason: str = "cancelled") -> None:
        """End the running episode without a grade; a finished or absent one stays as it is.

        It may be called from another thread than the one that steps: the command that runs in the
        sandbox is killed, and the step returns with the outcome `cancelled`.
        """
        episode = self._episode
        if episode is None or episode.outcome is not None:
            return
        self._cancelled = reason
        episode.room.interrupt(reason)
        with self._busy:
            if episode.outcome is None:
                episode.fail(Outcome.CANCELLED, reason)
                self._finish(episode)

    def _source(self) -> dict[str, Any]:
        """Return what a record says of where its episode was played."""
        if self.spec is None:
            return {"env": self.domain.name, "kwargs": None}
        kwargs = {k: v for k, v in self.spec.kwargs.items() if k not in _NOT_RECORDED}
        return {"env": full_id(self.spec.id), "kwargs": kwargs}

    def _env_id(self) -> str:
        return str(self._source()["env"])

    def _choose(self, options: Mapping[str, Any]) -> Task:
        check_options(options, ("task",))
        source, wanted = self.domain.source, options.get("task")
        if wanted is None:
            return source.get(int(self.np_random.integers(len(source))))
        if not isinstance(wanted, str):
            index = operator.index(wanted)
            if not 0 <= index < len(source):
                raise TaskError(f"task {index}: the source has {len(source)}, from 0 on")
            return source.get(index)
        place = place_of(source, wanted)
        if place is None:
            raise TaskError(f"task {wanted!r}: not among the {len(source)} of {self.domain.name}")
        return source.get(place)

    def _turn(self, episode: Episode, action: str) -> str:
        parsed = self._parser.parse(str(action), self._toolbox.schemas)
        episode.said(action, parsed.calls)
        if self._recorder:
            self._recorder.turn(episode)
        if episode.deadline.passed():
            episode.truncate("time")
            return ""
        answers = [f"error: {error}" for error in parsed.errors]
        answers += self._calls(episode, parsed.calls)
        if not answers and self.domain.text_ends:
            episode.session.answer = str(action)
            episode.complete("answer")
        elif not answers:
            answers.append("error: no tool call in this message; every message needs one")
        observation = shorten("\n".join(answers), LONGEST)
        if episode.outcome is None and not self._cancelled:
            episode.answered(observation, final=episode.spent() is not None)
            reason = episode.spent()
            if reason:
                episode.truncate(reason)
            if self._recorder:
                self._recorder.turn(episode)
        return observation

    def _calls(self, episode: Episode, calls: Sequence[ToolCall]) -> list[str]:
        answers = []
        for call in calls:
            result = self._call(episode, call)
            answers.append(episode.put_out(result.text))
            if result.done:
                episode.complete("finish")
            if result.done or self._cancelled or episode.over() is not None:
                break
        return answers

    def _call(self, episode: Episode, call: ToolCall) -> ToolResult:
        try:
            return self._toolbox.call(call, episode.session)
        except ToolMisuse as misuse:
            return ToolResult(f"error: {misuse}")

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
            self.cancel("the episode was left before its end")
            self._episode.room.close()

    def _info(self, episode: Episode) -> dict[str, Any]:
        info: dict[str, Any] = {"messages": episode.messages()}
        if episode.store is not None:
            info["tokens"] = episode.tokens()
        if episode.outcome is not None:
            info |= {
                "outcome": str(episode.outcome),
                "reason": episode.reason,
                "verdict": episode.verdict,
                "reward": episode.reward,
                "reward_parts": dict(episode.parts),
            }
        return info
