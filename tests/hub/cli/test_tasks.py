"""`hub tasks validate`: a table for people, JSON for programs, a quarantine file for sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from hub.dialogue import read_quarantine
from tests.hub.cli.conftest import Run


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


def test_a_flaky_task_gives_status_1_and_stands_in_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "quarantine.json"
    ran = run("tasks", "validate", "toys/Probed-v0", "-k", "2", "--task", "3+4",
              "--set", "fault=flaky", "--quarantine", str(file), "--json", "-")  # fmt: skip
    assert ran.status == 1
    assert (ran.json["schema"], ran.json["id"]) == ("hub.tasks.validate/1", "hub:toys/Probed-v0")
    (task,) = ran.json["tasks"]
    assert (task["task"], task["status"]) == ("3+4", "flaky")
    assert [entry.id for entry in read_quarantine(file)] == ["3+4"]


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
