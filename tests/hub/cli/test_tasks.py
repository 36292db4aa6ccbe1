"""`hub tasks validate`: a table for people, JSON for programs, a quarantine file for sources."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from hub.dialogue import read_quarantine
from hub.sandbox import state
from tests.hub.cli.conftest import Run
from tests.hub.sandbox.conftest import require


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    gymnasium.register("toys/Probed-v0", "tests.hub.dialogue.probed:Probed",
                       disable_env_checker=True)  # fmt: skip
    yield
    del gymnasium.registry["toys/Probed-v0"]


def test_good_tasks_give_status_0_and_a_table(run: Run) -> None:
    ran = run("tasks", "validate", "hub:toys/Probed-v0", "-k", "1", "--limit", "2")
    assert ran.status == 0, ran.err
    assert "2 of 2 tasks are good" in ran.out
    assert "2 of 2" in ran.out.splitlines()[1]  # cheats held
    assert ran.err.splitlines() == ["1 of 2: 0+0 is good", "2 of 2: 0+1 is good"]


def test_a_flaky_task_gives_status_1_and_stands_in_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "quarantine.json"
    ran = run("tasks", "validate", "toys/Probed-v0", "-k", "2", "--task", "3+4",
              "--set", "fault=flaky", "--quarantine", str(file), "--json", "-")  # fmt: skip
    assert ran.status == 1
    assert (ran.json["schema"], ran.json["id"]) == ("hub.tasks.validate/1", "hub:toys/Probed-v0")
    (task,) = ran.json["tasks"]
    assert (task["task"], task["status"]) == ("3+4", "flaky")
    assert [entry.id for entry in read_quarantine(file)] == ["3+4"]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_tells_what_was_found_and_leaves_no_sandbox(jobs: str) -> None:
    require("apptainer")
    words = ["tasks", "validate", "hub:agent/Code-v0", "--k", "1", "--jobs", jobs, "--json", "-"]
    process = subprocess.Popen(
        [sys.executable, "-c", "import hub.cli.main; hub.cli.main.main()", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    first = process.stderr.readline()
    while not _owned_by(process.pid):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all that it can reach
    out, err = process.communicate(timeout=60)
    assert (process.returncode, first[:8]) == (130, "1 of 12:"), err
    report = json.loads(out)
    assert report["interrupted"]
    assert f"interrupted: {len(report['tasks'])} of 12 tasks were validated" in err
    assert {task["status"] for task in report["tasks"]} == {"good"}
    assert not _owned_by(process.pid)


def _owned_by(pid: int) -> list[str]:
    return [record.id for record in state.records() if record.owner == pid]


def test_a_usage_error_gives_status_2_and_names_the_value(run: Run) -> None:
    ran = run("tasks", "validate", "hub:toys/Probed-v0", "--set", "fault")
    assert ran.status == 2
    assert "'fault': expected NAME=VALUE" in ran.err


def test_an_environment_without_tasks_is_told_so_in_one_line(run: Run) -> None:
    ran = run("tasks", "validate", "hub:native/Pong-v0")
    assert ran.status == 2
    assert ran.err == "hub: hub:native/Pong-v0 has no tasks: expected an agent environment\n"


@pytest.mark.parametrize("command", [("tasks", "validate"), ("play",)])
def test_no_empty_line_stands_before_an_error(run: Run, command: tuple[str, ...]) -> None:
    ran = run(*command, "hub:agent/Math-v0", "--set", "tasks=nosuch")
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("hub: ")
