"""A loaded machine makes no hang of a slow environment, and hides none."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from hub.conformance import check, runner, starved
from tests.hub.conformance.mutants import env_id


@pytest.fixture
def crowded() -> Iterator[None]:
    """Leave this process and its children one core, which three others want too."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    yield
    for process in busy:
        process.kill()
        process.wait()
    os.sched_setaffinity(0, cores)


@pytest.mark.slow
def test_an_environment_that_waits_for_a_core_does_not_hang(
    crowded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "HANG_SHARE", 0.0)  # so LEAST_HANG, 3 seconds, is the limit
    start = time.monotonic()
    found = check(env_id("Toils"), seconds=60, rules=("make",)).check("make")
    assert found.status == "pass", found.message
    assert time.monotonic() - start > runner.LEAST_HANG


@pytest.mark.slow
def test_an_environment_that_never_returns_is_found_on_a_loaded_machine_too(
    crowded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "HANG_SHARE", 0.0)
    found = check(env_id("ToilsForEver"), seconds=60, rules=("make",)).check("make")
    assert found.status == "fail"
    assert "make() did not return within" in found.message


def test_what_the_time_ran_out_in_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LEAST_HANG", 3.0)
    monkeypatch.setattr(runner, "HANG_SHARE", 2.0)  # no call is a hang before the time is over
    found = check(env_id("Hangs"), seconds=8, rules=("run",)).check("run")
    assert found.status == "skip"
    assert "s of them in one step(): give it more (--seconds)" in found.message


def test_a_wait_is_that_of_the_longest_waiting_thread() -> None:
    assert starved.longest({}, {}) == 0
    assert starved.longest({1: 2.0, 2: 1.0}, {1: 2.5, 2: 4.0, 3: 0.25}) == 3.0


def test_the_waits_of_a_process_that_ended_are_none() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert starved.delays(process.pid) == {}
    assert os.getpid() in starved.delays(os.getpid())
