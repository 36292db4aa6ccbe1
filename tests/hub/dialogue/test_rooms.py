"""Attribution with real sandboxes: whose doing it was when one is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hub.dialogue import DialogueEnv, Session
from hub.errors import UnknownOption
from hub.sandbox.providers import providers
from tests import need
from tests.hub.dialogue.test_attribution import ended
from tests.hub.dialogue.toy import Does, call, make


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"provider": "zzz"}, r"provider 'zzz': there is none .* apptainer, bubblewrap"),
        ({"provider": 5}, "provider 5: there is none"),
        ({"network": "no"}, "network 'no': expected True or False"),
        ({"limits": {"ram": 1}}, "sandbox limits has no 'ram'; its fields: memory"),
        ({"limits": 5}, "sandbox limits 5: expected a mapping"),
    ],
)
def test_a_sandbox_that_cannot_be_is_refused_when_the_environment_is_made(
    wrong: dict[str, Any], why: str
) -> None:
    with pytest.raises(UnknownOption, match=why):
        make(sandbox=wrong)


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
