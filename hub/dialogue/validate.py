"""Whether tasks can be trusted: gold scores 1, nothing and cheats score 0, each time.

Agents play whole episodes, through the environment, its tools and its grader, as a model would.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, cast

import gymnasium
from gymnasium.envs.registration import load_env_creator

from hub.dialogue.env import DialogueEnv
from hub.dialogue.probe import Agent, Probed, answering, spoken
from hub.dialogue.quarantine import Quarantined
from hub.dialogue.tasks import Task, place_of
from hub.entry import Creator
from hub.errors import TaskError, UnknownOption
from hub.registry import bare_id

ORACLE, NULL = "oracle", "null"
Progress = Callable[[Sequence["Finding"], int], None]
Status = Literal["good", "flaky", "broken", "unknown"]
# Episodes that end in our own failure are played again this often before they count as unknown.
RETRIES = 2


@dataclass(frozen=True)
class Trial:
    """What one agent got, k times.

    Attributes:
        agent: `oracle`, `null` or the cheat's name.
        rewards: Each time's reward; None where the episode has none.
        reasons: What the grader said, or why there is no reward.
    """

    agent: str
    rewards: tuple[float | None, ...]
    reasons: tuple[str, ...]

    @property
    def status(self) -> Status:
        """`good` when each reward is what the agent deserves."""
        if any(reward is None for reward in self.rewards):
            return "unknown"
        wanted = 1.0 if self.agent == ORACLE else 0.0
        hits = [math.isclose(cast(float, r), wanted, abs_tol=1e-9) for r in self.rewards]
        if all(hits):
            return "good"
        return "flaky" if any(hits) else "broken"


@dataclass(frozen=True)
class Finding:
    """What was found of one task."""

    task: str
    index: int
    trials: tuple[Trial, ...]

    @property
    def status(self) -> Status:
        """The worst of its trials: broken, flaky, unknown, good."""
        found = {trial.status for trial in self.trials}
        order: tuple[Status, ...] = ("broken", "flaky", "unknown")
        return next((status for status in order if status in found), "good")

    @property
    def reason(self) -> str:
        """What is wrong, in one sentence; empty for a good task."""
        bad = [trial for trial in self.trials if trial.status != "good"]
        return "; ".join(
            f"{t.agent} is {t.status}: rewards {list(t.rewards)} ({t.reasons[-1]})" for t in bad
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        trials = [{**vars(trial), "status": trial.status} for trial in self.trials]
        return {"task": self.task, "index": self.index, "status": self.status, "trials": trials}


def validate(
    env_id: str,
    *,
    k: int = 3,
    limit: int | None = 20,
    tasks: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    progress: Progress = lambda found, total: None,
) -> list[Finding]:
    """Play every agent of every task `k` times.

    An interrupt ends it and closes every sandbox: at once where `jobs` is 1, else as soon as the
    episodes end that are being played. What was found until then, `progress` has been told.

    Args:
        env_id: An agent environment.
        k: Times that each agent plays each task.
        limit: How many tasks, spread over the source; None takes all of them.
        tasks: Ids of the tasks to take instead.
        options: Options of the environment.
        jobs: Tasks at once, each with an environment of its own.
        progress: Called after each task with what was found so far and how many tasks there are.

    Raises:
        UnknownOption: The environment has no tasks, or no oracle and cheats to validate by.
        TaskError: A task that is named is not there.
    """
    make = _maker(env_id, options or {})
    with closing(make()) as env:
        chosen = list(_chosen(env, limit, tasks))

    over = threading.Event()

    def one(place: tuple[int, Task]) -> Finding:
        with closing(make()) as env:
            return _finding(env, *place, k, over)

    found: list[Finding] = []
    for finding in _each(one, chosen, jobs, over):
        found.append(finding)
        progress(found, len(chosen))
    order = [index for index, _ in chosen]
    return sorted(found, key=lambda finding: order.index(finding.index))


class _Over(Exception):
    """Nobody waits for this task any more."""


def _each(
    one: Callable[[tuple[int, Task]], Finding],
    chosen: Sequence[tuple[int, Task]],
    jobs: int,
    over: threading.Event,
) -> Iterator[Finding]:
    """Yield what is found of each task, as it is found."""
    if jobs == 1:
        # In this thread, which an interrupt reaches wherever it is.
        yield from map(one, chosen)
        return
    with ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one, place) for place in chosen]
        try:
            for task in as_completed(tasks):
                yield task.result()
        finally:
            over.set()
            pool.shutdown(wait=False, cancel_futures=True)


def quarantined(findings: Sequence[Finding]) -> list[Quarantined]:
    """Return the tasks to leave out: flaky and broken ones.

    One that our own failures kept from being judged says nothing of the task and stays in.
    """
    return [
        Quarantined(f.task, f.index, f.reason) for f in findings if f.status in ("flaky", "broken")
    ]


def _maker(env_id: str, options: Mapping[str, Any]) -> Callable[[], DialogueEnv]:
    _refuse_taskless(env_id)

    def make() -> DialogueEnv:
        env = gymnasium.make(env_id, **{**options, "parser": "hermes"}).unwrapped
        if not isinstance(env, DialogueEnv) or not isinstance(env.domain, Probed):
            env.close()
            raise UnknownOption(
                f"{env_id}: expected an agent environment whose domain has `oracle` and `cheats` "
                "(hub.dialogue.Probed)"
            )
        return env

    return make


def _refuse_taskless(env_id: str) -> None:
    """Raise `UnknownOption` where the environment's class tells that it has no tasks."""
    spec = gymnasium.registry.get(bare_id(env_id))
    entry = spec.entry_point if spec else None
    create = load_env_creator(entry) if isinstance(entry, str) else entry
    made = create.target() if isinstance(create, Creator) else create
    if isinstance(made, type) and not issubclass(made, DialogueEnv):
        raise UnknownOption(f"{env_id} has no tasks: expected an agent environment")


def _chosen(
    env: DialogueEnv, limit: int | None, wanted: Sequence[str]
) -> Iterator[tuple[int, Task]]:
    source = env.domain.source
    if wanted:
        places = [(name, place_of(source, name)) for name in wanted]
        for name, place in places:
            if place is None:
                raise TaskError(f"task {name!r}: not among the {len(source)} of {env.domain.name}")
        yield from ((place, source.get(place)) for _, place in places if place is not None)
        return
    count = len(source) if limit is None else min(limit, len(source))
    # Consecutive ones: generated sources take their generators in turn.
    yield from ((i, source.get(i)) for i in range(count))


def _finding(env: DialogueEnv, index: int, task: Task, k: int, over: threading.Event) -> Finding:
    domain = cast(Probed, env.domain)
    trials = []
    agents = {NULL: answering(None), **domain.cheats(task)}
    try:
        agents = {ORACLE: domain.oracle(task), **agents}
    except TaskError as error:  # one task without a solution says nothing of the others
        trials.append(Trial(ORACLE, (None,) * k, (str(error),) * k))
    for name, agent in agents.items():
        played = [_settled(env, index, agent, over) for _ in range(k)]
        rewards, reasons = zip(*played, strict=True)
        trials.append(Trial(name, rewards, reasons))
    return Finding(task.id, index, tuple(trials))


def _settled(
    env: DialogueEnv, index: int, agent: Agent, over: threading.Event
) -> tuple[float | None, str]:
    for _ in range(RETRIES + 1):
        if over.is_set():
            raise _Over
        reward, reason = play(env, index, agent)
        if reward is not None:
            break
    return reward, reason


def play(env: DialogueEnv, task: int, agent: Agent) -> tuple[float | None, str]:
    """Play one episode of task `task` by `agent`; return its reward and what was said of it."""
    env.reset(options={"task": task})
    script = agent()
    action = next(script)
    while True:
        observation, _, terminated, truncated, info = env.step(spoken(action))
        if terminated or truncated:
            break
        try:
            action = script.send(observation)
        except StopIteration:
            action = spoken(next(answering(None)()))
    script.close()
    return info["reward"], str(info["verdict"] or info["reason"])
