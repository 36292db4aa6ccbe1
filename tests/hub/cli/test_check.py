"""`hub check ID` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.hub.conformance.mutants import env_id


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `hub` in a process of its own."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    command = [sys.executable, "-m", "hub", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def test_a_broken_rule_is_exit_status_one_and_json_alone_on_standard_output() -> None:
    done = run("check", env_id("NaNAtTheEnd"), "--seconds", "6", "--json", "-")
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data.keys() == {"schema", "id", "status", "checks"}
    assert (data["schema"], data["status"]) == ("hub.check/1", "fail")
    found = {check["name"]: check for check in data["checks"]}["reward"]
    assert found.keys() == {"name", "status", "message", "step", "field", "seed"}
    assert (found["status"], found["field"]) == ("fail", "reward")
    assert "fail reward" in done.stderr  # progress is visible, off standard output


def test_a_good_environment_is_exit_status_zero_and_the_table_names_every_rule(
    tmp_path: Path,
) -> None:
    path = tmp_path / "report.json"
    done = run("check", env_id("Good"), "--strict", "--seconds", "20", "--json", str(path))
    assert done.returncode == 0, done.stdout
    for name in ("determinism", "memory", "autoreset_disabled", "async"):
        assert name in done.stdout
    assert json.loads(path.read_text())["status"] == "pass"


def test_an_unknown_id_is_exit_status_two_and_one_line() -> None:
    done = run("check", "Nope-v1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Nope" in done.stderr
