"""Whose fault, what reward: each row of the design's table, at this layer."""

from __future__ import annotations

import errno
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hub.dialogue import DialogueEnv, Grade, Said, Session
from hub.dialogue.blame import blame
from hub.errors import SandboxError, SandboxFileError
from hub.sandbox.providers import providers
from hub.trajectory import Outcome
from tests import need
from tests.hub.dialogue.toy import Does, call, make


def raising(error: Exception) -> Does:
    def act(session: Session) -> str:
        raise error

    return Does("act", act)


def ended(env: DialogueEnv, action: str) -> tuple[Any, ...]:
    """Step to the end; return outcome, rewards of step, info and trajectory, flags, reason."""
    _, reward, terminated, truncated, info = env.step(action)
    found = env.trajectory()
    assert found.outcome == info["outcome"]
    assert found.reward == info["reward"]
    assert (found.terminated, found.truncated) == (terminated, truncated)
    assert math.isnan(reward) if info["reward"] is None else reward == info["reward"]
    return info["outcome"], info["reward"], terminated, info["reason"]


@pytest.mark.parametrize(
    ("budget", "actions", "reason"),
    [
        ({"turns": 2}, [call("add", a=1, b=1)] * 2, "turns"),
        ({"seconds": 0.05}, [call("wait")], "time"),
        ({"output": 10}, [call("talk")], "output"),
        ({"tokens": 5}, [Said(call("add", a=1, b=1), [1] * 5, [0.0] * 5)], "tokens"),
    ],
)
def test_a_budget_that_is_used_up_truncates_with_its_name_and_the_grade_so_far(
    budget: dict[str, Any], actions: list[str], reason: str
) -> None:
    wait = Does("wait", lambda session: time.sleep(0.1) or "")  # type: ignore[func-returns-value]  # sleeps
    env = make(wait, Does("talk", lambda session: "word " * 4), budget=budget)
    env.reset(options={"task": "1+1"})
    for action in actions[:-1]:
        assert env.step(action)[2:4] == (False, False)
    assert ended(env, actions[-1]) == ("truncated", 0.0, False, reason)


def test_what_a_tool_puts_out_is_shortened_and_carries_no_lone_surrogate() -> None:
    env = make(Does("talk", lambda session: "\ud800" + "x" * 100), budget={"command_output": 20})
    env.reset(seed=0)
    observation = env.step(call("talk"))[0]
    assert observation == f"?{'x' * 9}\n[... 81 characters left out ...]\n{'x' * 10}"


def test_any_number_of_calls_gives_an_observation_inside_the_space() -> None:
    ran: list[int] = []
    env = make(Does("talk", lambda session: ran.append(1) or "x" * 100_000))  # type: ignore[func-returns-value]  # it counts
    env.reset(seed=0)
    observation, _, _, truncated, info = env.step(call("talk") * 400)
    assert observation in env.observation_space
    assert (len(ran), truncated, info["reason"]) == (40, True, "output")
    env.reset(seed=0)
    assert env.step("<tool_call>{" * 80_000 + "<tool_call>")[0] in env.observation_space


@pytest.mark.parametrize(
    ("error", "outcome", "reward", "terminated", "reason"),
    [
        (SandboxError("ate its memory", "agent"), "agent_error", -1.0, True, "ate its memory"),
        (RuntimeError("a bug"), "env_error", None, False, "RuntimeError: a bug"),
        (FileNotFoundError("gone"), "env_error", None, False, "FileNotFoundError: gone"),
        (SandboxError("worker lost"), "infra_error", None, False, "worker lost"),
        (SandboxError("odd", "unknown"), "infra_error", None, False, "attribution unknown: odd"),
        (MemoryError(), "infra_error", None, False, "the host is out of memory"),
        (OSError(errno.ENOSPC, "full"), "infra_error", None, False, "the host is out of"),
        (SandboxError("over", "budget"), "truncated", 0.0, False, "time"),
    ],
)
@pytest.mark.parametrize("where", ["tool", "collect", "grade"])
def test_a_failure_is_attributed_and_only_the_agents_own_has_a_reward(
    error: Exception, outcome: str, reward: float | None, terminated: bool, reason: str, where: str
) -> None:
    def fail(*arguments: Any) -> Any:
        raise error

    env = make(raising(error))
    if where != "tool":
        setattr(env.domain, where, fail)
        if outcome == "truncated":
            outcome, reward, reason = "infra_error", None, "attribution unknown: over"
        reason = f"grading: {reason}"
    env.reset(seed=0)
    got = ended(env, call("act") if where == "tool" else "5")
    assert got[:3] == (outcome, reward, terminated)
    assert got[3].startswith(reason)


@pytest.mark.parametrize(
    ("grade", "outcome", "reward"),
    [
        (Grade(None, outcome=Outcome.INFRA_ERROR, reason="controls fail"), "infra_error", None),
        (Grade(9.0, outcome=Outcome.ENV_ERROR), "env_error", None),
        (Grade(None, outcome=Outcome.AGENT_ERROR), "agent_error", -1.0),
        (Grade(float("nan")), "env_error", None),
        (Grade(None), "env_error", None),
        (Grade(0.25, {"a": 0.25}), "completed", 0.25),
    ],
)
def test_a_grader_says_whose_failure_kept_it_from_grading(
    grade: Grade, outcome: str, reward: float | None
) -> None:
    env = make()
    env.domain.grade = lambda task, submission: grade  # type: ignore[method-assign]  # the point
    env.reset(seed=0)
    assert ended(env, "5")[:2] == (outcome, reward)


def test_a_cancelled_episode_has_no_reward_and_a_finished_one_stays_as_it_is() -> None:
    env = make()
    env.cancel()
    env.reset(seed=0)
    env.cancel("no longer needed")
    found = env.trajectory()
    assert (found.outcome, found.reward, found.truncated) == (Outcome.CANCELLED, None, True)
    assert found.reason == "no longer needed"
    env.reset(options={"task": "1+1"})
    env.step("2")
    env.cancel()
    assert env.trajectory().outcome is Outcome.COMPLETED


def test_a_full_disk_of_the_sandbox_is_the_agents_and_other_files_are_the_environments() -> None:
    assert blame(SandboxFileError(errno.ENOSPC, "full", "x"))[0] is Outcome.AGENT_ERROR
    assert blame(SandboxFileError(errno.ENOENT, "gone", "x"))[0] is Outcome.ENV_ERROR


# ---- With real sandboxes -----------------------------------------------------------------------


@pytest.fixture(params=["apptainer", "bubblewrap"])
def boxed(request: pytest.FixtureRequest) -> Callable[..., DialogueEnv]:
    reason = providers()[request.param].missing()
    if reason is not None:
        need.missing(f"sandbox provider {request.param}: {reason}")
    need.module("hub_sandbox_init")

    def boxed(*tools: Any, limits: dict[str, Any] | None = None, **options: Any) -> DialogueEnv:
        sandbox = {"provider": request.param, "limits": limits or {}}
        return make(*tools, tools=["bash"], sandbox=sandbox, **options)

    return boxed


def test_a_command_that_outlasts_the_episode_is_killed_and_truncates(
    boxed: Callable[..., DialogueEnv],
) -> None:
    env = boxed(budget={"seconds": 3.0})
    env.reset(options={"task": "1+1"})
    start = time.monotonic()
    assert ended(env, call("bash", command="sleep 60")) == ("truncated", 0.0, False, "time")
    assert time.monotonic() - start < 15


# bubblewrap's container survives this: the kernel there finds a command to kill, not PID 1.
@pytest.mark.parametrize("boxed", ["apptainer"], indirect=True)
def test_a_sandbox_that_the_agent_fills_until_it_dies_is_the_agents_error(
    boxed: Callable[..., DialogueEnv],
) -> None:
    where: list[str] = []

    def look(session: Session) -> str:
        where.append(session.open_sandbox().limits["memory"].means)
        return where[0]

    env = boxed(Does("look", look), limits={"memory": 64 << 20, "disk": 512 << 20})
    env.reset(seed=0)
    env.step(call("look"))
    if "cgroup" not in where[0]:
        need.missing(f"memory of a sandbox is limited by {where[0]}, not by a control group")
    fill = call("bash", command="cat /dev/zero >> /dev/shm/x; cat /dev/zero >> /tmp/x")
    for _ in range(20):
        _, reward, terminated, _, info = env.step(fill)
        if terminated:
            break
    assert (info["outcome"], reward, info["reward"]) == ("agent_error", -1.0, -1.0)
    assert "ran out of its 67108864 bytes of memory" in info["reason"]


def test_a_container_that_the_machine_kills_is_infrastructure(
    boxed: Callable[..., DialogueEnv],
) -> None:
    env = boxed(Does("lose", lambda session: session.open_sandbox().kill() or "lost"))  # type: ignore[func-returns-value]  # it kills
    env.reset(seed=0)
    assert env.step(call("bash", command="echo hi"))[0] == "hi"
    env.step(call("lose"))
    outcome, reward, terminated, _ = ended(env, call("bash", command="echo hi"))
    assert (outcome, reward, terminated) == ("infra_error", None, False)


def test_cancelling_from_another_thread_ends_the_command_that_runs(
    boxed: Callable[..., DialogueEnv],
) -> None:
    env = boxed()
    env.reset(seed=0)
    env.step(call("bash", command="true"))
    timer = threading.Timer(0.5, env.cancel, args=("stop",))
    timer.start()
    start = time.monotonic()
    assert ended(env, call("bash", command="sleep 60"))[:2] == ("cancelled", None)
    assert time.monotonic() - start < 15
    timer.join()
    assert env.trajectory().reason == "stop"


def test_a_sandbox_that_cannot_be_had_is_infrastructure_and_names_the_fix() -> None:
    env = make(tools=["bash"], sandbox={"provider": "local"})
    env.reset(seed=0)
    outcome, reward, _, reason = ended(env, call("bash", command="true"))
    assert (outcome, reward) == ("infra_error", None)
    assert "HUB_UNSAFE_LOCAL" in reason
