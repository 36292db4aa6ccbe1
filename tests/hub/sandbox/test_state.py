import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.errors import SandboxError
from hub.sandbox import create, state
from hub.sandbox.conformance.exhaustion import processes_with
from hub.sandbox.state import Record

_SERVER = """
import sys, time
from hub.sandbox import create
boxes = [create(provider=sys.argv[1]) for _ in range(8)]
for box in boxes:
    box.shell(f"(setsid sleep {sys.argv[2]} &)")
print("ready", *[box.id for box in boxes], flush=True)
time.sleep(600)
"""


def wait(condition: Callable[[], object], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(condition())


def start_server(provider: str, marker: str, **env: str) -> tuple[subprocess.Popen[str], list[str]]:
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, provider, marker],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )
    assert server.stdout is not None
    words = server.stdout.readline().split()
    server.stdout.close()
    assert words[:1] == ["ready"]
    return server, words[1:]


def test_nothing_is_left_of_a_killed_server_after_a_sweep(provider: str) -> None:
    marker = f"9191{os.getpid()}"
    server, ids = start_server(provider, marker)
    records = [record for record in state.records() if record.id in ids]
    assert len(records) == 8  # as many as attack S13 names
    groups = [Path(path) for record in records for path in record.cgroups]
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    assert wait(lambda: len(processes_with(marker)) <= 1)  # the server's own command line
    assert set(ids) <= set(state.sweep())
    assert not processes_with(marker)
    assert not [record.directory for record in records if record.directory.exists()]
    assert not [group for group in groups if group.exists()]
    assert not any(record.processes() for record in records)


@pytest.mark.skipif(os.geteuid() != 0, reason="this run is a plain user's already")
def test_nothing_is_left_of_a_plain_users_killed_server(provider: str) -> None:
    marker = f"9494{os.getpid()}"
    script = [sys.executable, str(Path(__file__).with_name("unprivileged.py")), provider, "65534"]
    mounts = Path("/proc/self/mounts").read_text()
    with subprocess.Popen([*script, "serve", marker], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        started = json.loads(server.stdout.readline())
        assert len(started) == 8
        assert len(processes_with(f"sleep\0{marker}")) == 8
        assert all(Path(folder).exists() for folder in started.values())
        server.kill()
    assert wait(lambda: not processes_with(f"sleep\0{marker}"))
    swept = subprocess.run([*script, "sweep"], capture_output=True, text=True, check=True)
    assert set(started) <= set(json.loads(swept.stdout))
    assert not [folder for folder in started.values() if Path(folder).exists()]
    assert wait(lambda: not processes_with(marker))
    assert Path("/proc/self/mounts").read_text() == mounts


_HOLDER = """
import os, sys, time
from hub.sandbox import Limits, create
box = create(provider=sys.argv[1], limits=Limits(lifetime=float(sys.argv[3])))
box.shell(f"(setsid sleep {sys.argv[2]} &)")
child = os.fork()  # it keeps the container's pipes open
if child:
    print("ready", child, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_the_lifetime_ends_a_container_whose_dead_servers_pipe_is_held_open(provider: str) -> None:
    marker, lifetime = f"9595{os.getpid()}", 8.0
    began = time.monotonic()
    server = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, provider, marker, str(lifetime)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    child = int(server.stdout.readline().split()[1])
    try:
        server.kill()
        server.wait()
        time.sleep(0.5)
        assert processes_with(f"sleep\0{marker}")  # the pipe is held open, so it lives on
        assert wait(lambda: not processes_with(f"sleep\0{marker}"), lifetime + 5.0)
        assert time.monotonic() - began >= 0.9 * lifetime
    finally:
        os.kill(child, signal.SIGKILL)
        server.stdout.close()
        state.sweep()


def test_a_sweep_ends_a_container_that_outlived_its_server(provider: str) -> None:
    """The helper's end of the pipe is held open, as a forked child of the server would do."""
    sandbox = create(provider=provider)
    (record,) = [r for r in state.records() if r.id == sandbox.id]
    record.owner_started -= 1  # as if the owner's number belonged to a later process
    record.write()
    assert record.left_over()
    assert sandbox.id in state.sweep()
    assert not record.directory.exists()
    with pytest.raises(SandboxError):
        sandbox.exec("true")
    sandbox.close()


def test_a_sweep_touches_nothing_of_a_living_owner(provider: str) -> None:
    with create(provider=provider) as sandbox:
        state.sweep()
        assert sandbox.exec("echo alive").stdout == "alive\n"


def test_another_home_and_host_name_see_the_same_records() -> None:
    marker = f"9292{os.getpid()}"
    server, ids = start_server("bubblewrap", marker, HOME="/elsewhere", HOSTNAME="other")
    try:
        assert set(ids) <= {record.id for record in state.records()}
    finally:
        server.kill()
        server.wait()
        assert wait(lambda: not processes_with(marker))
        state.sweep()


@pytest.mark.slow
def test_many_starts_and_ends_leave_no_zombie_mount_or_process(provider: str) -> None:
    def children() -> int:
        of_threads = Path("/proc/self/task").glob("*/children")
        return sum(len(path.read_text().split()) for path in of_threads)

    mounts, before = Path("/proc/self/mounts").read_text(), children()
    for _ in range(200):
        with create(provider=provider) as sandbox:
            sandbox.shell("sleep 60 &")
    assert children() == before
    assert Path("/proc/self/mounts").read_text() == mounts


def test_a_number_used_again_is_not_taken_for_ours() -> None:
    process = subprocess.Popen(["sleep", "30"], start_new_session=True)
    try:
        started = state.start_time(process.pid)
        assert state.session_members(process.pid, started) == [process.pid]
        assert state.session_members(process.pid, started - 1) == []
    finally:
        process.kill()
        process.wait()
    assert state.start_time(process.pid) == 0


def test_records_of_another_boot_or_namespace_are_judged_with_care() -> None:
    record = Record.new()
    assert not record.left_over()
    assert Record(**{**vars(record), "boot": "earlier"}).left_over()
    assert Record(**{**vars(record), "boot": "earlier", "leader": 1}).processes() == []
    elsewhere = {"namespace": "pid:[1]", "owner_started": 1}
    assert not Record(**{**vars(record), **elsewhere}).left_over()
    assert Record(**{**vars(record), "owner_started": 1}).left_over()


def test_a_record_survives_json() -> None:
    record = Record.new()
    record.cgroups = ["/a"]
    try:
        record.write()
        (read,) = [r for r in state.records() if r.id == record.id]
        assert read == record
        assert json.loads((record.directory / state.RECORD).read_text())["owner"] == os.getpid()
    finally:
        state.remove(record)


def test_a_busy_control_group_is_left_to_a_later_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = tmp_path / "group" / "busy"
    busy.mkdir(parents=True)
    record = Record(**{**vars(Record.new()), "owner_started": 1, "cgroups": [str(busy.parent)]})
    record.write()
    monkeypatch.setattr(state.cgroups.remove, "__defaults__", (0.02,))
    assert record.id in state.sweep()
    assert record.directory.exists()
    busy.rmdir()
    assert record.id in state.sweep()
    assert not record.directory.exists()
    assert not busy.parent.exists()


def test_a_state_directory_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / f"hub-sandbox-{os.geteuid()}"
    path.mkdir()
    path.chmod(0o777)
    with pytest.raises(SandboxError, match="open to others; remove it"):
        state.root()
    path.chmod(0o755)
    assert state.root() == path
