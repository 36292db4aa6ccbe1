"""`hub check ID` as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_a_time_that_is_no_number_is_exit_status_two(seconds: str) -> None:
    done = run("check", env_id("Good"), "--seconds", seconds)
    assert done.returncode == 2
    assert f"{seconds} is no finite number" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_check_that_is_killed_leaves_no_process_and_no_folder(
    tmp_path: Path, how: signal.Signals
) -> None:
    pid_file, temporary = tmp_path / "pid", tmp_path / "temporary"
    temporary.mkdir()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    env["HANGS_PID_FILE"] = str(pid_file)
    command = [sys.executable, "-m", "hub", "check", env_id("HangsAndSays")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env) as checking:
        assert _soon(pid_file.exists)
        assert list(temporary.iterdir())
        checking.send_signal(how)
    assert _soon(lambda: not _runs(int(pid_file.read_text())))
    assert _soon(lambda: not list(temporary.iterdir()))


def _soon(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + 30
    while not true() and time.monotonic() < until:
        time.sleep(0.05)
    return true()


def _runs(pid: int) -> bool:
    # A process that ended is a zombie until init, or whoever adopts orphans here, collects it.
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
