"""Validation plays oracle, null and cheats, and tells what is unfit."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import gymnasium
import pytest

from hub.dialogue.validate import NULL, ORACLE, Finding, quarantined, validate
from hub.errors import TaskError, UnknownOption

PROBED, PLAIN = "test/Probed-v0", "test/Plain-v0"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    gymnasium.register(PROBED, "tests.hub.dialogue.probed:Probed", disable_env_checker=True)
    gymnasium.register(PLAIN, "tests.hub.dialogue.toy:Sums", disable_env_checker=True)
    yield
    for name in (PROBED, PLAIN):
        del gymnasium.registry[name]


def test_a_fit_task_is_good_and_every_agent_is_played_k_times() -> None:
    seen: list[tuple[int, int]] = []

    def progress(so_far: Sequence[Finding], total: int) -> None:
        seen.append((len(so_far), total))

    found = validate(PROBED, k=2, limit=2, progress=progress)
    assert [one.status for one in found] == ["good", "good"]
    assert {t.agent: t.rewards for t in found[0].trials} == {
        ORACLE: (1.0, 1.0), NULL: (0.0, 0.0), "constant": (0.0, 0.0),
        "says nothing more": (0.0, 0.0),
    }  # fmt: skip
    assert seen == [(1, 2), (2, 2)]
    assert quarantined(found) == []


@pytest.mark.parametrize(
    ("fault", "status", "agent"),
    [("flaky", "flaky", ORACLE), ("harsh", "broken", ORACLE), ("lenient", "broken", "constant")],
)
def test_an_unfit_task_is_named_and_quarantined(fault: str, status: str, agent: str) -> None:
    (one,) = validate(PROBED, k=3, tasks=["3+4"], options={"fault": fault})
    assert (one.task, one.index, one.status) == ("3+4", 28, status)
    assert f"{agent} is {status}" in one.reason
    (entry,) = quarantined([one])
    assert (entry.id, entry.index) == ("3+4", 28)


def test_what_our_own_failure_kept_from_being_judged_is_unknown_and_stays() -> None:
    (one,) = validate(PROBED, k=1, limit=1, options={"fault": "down"})
    assert one.status == "unknown"
    assert "no machine" in one.reason
    assert quarantined([one]) == []


def test_a_task_without_a_solution_is_unknown_and_the_others_are_judged() -> None:
    found = validate(PROBED, k=2, limit=2, options={"fault": "unsolved"})
    assert [one.status for one in found] == ["unknown", "good"]
    assert "task 0+0: no solution" in found[0].reason
    assert [trial.agent for trial in found[0].trials][:2] == [ORACLE, NULL]


def test_several_jobs_find_the_same_in_the_same_order() -> None:
    alone, together = (validate(PROBED, k=1, limit=6, jobs=jobs) for jobs in (1, 3))
    assert alone == together


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_interrupt_ends_it_soon_and_leaves_no_thread(jobs: int) -> None:
    told: list[int] = []

    def interrupt(found: Sequence[Finding], total: int) -> None:
        told.append(len(found))
        if len(found) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        validate(PROBED, k=5, limit=None, jobs=jobs, progress=interrupt)
    assert told == [1, 2]
    assert not [one for one in threading.enumerate() if "ThreadPool" in one.name]


def test_an_environment_without_an_oracle_is_refused() -> None:
    with pytest.raises(UnknownOption, match="oracle"):
        validate(PLAIN)


def test_a_task_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(TaskError, match=r"'9\+9'"):
        validate(PROBED, tasks=["9+9"])
