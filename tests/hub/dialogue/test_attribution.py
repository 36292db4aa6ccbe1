"""Whose fault, what reward: each row of the design's table, at this layer."""

from __future__ import annotations

import errno
import math
import time
from typing import Any

import pytest

from hub.dialogue import DialogueEnv, Grade, Said, Session
from hub.dialogue.blame import blame
from hub.errors import SandboxError, SandboxFileError
from hub.trajectory import Outcome
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


@pytest.mark.filterwarnings("ignore:budget tokens=5")  # the actions carry their ids
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
