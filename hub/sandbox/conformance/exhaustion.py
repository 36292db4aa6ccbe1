"""Attacks that use up what the machine has; each must stop at its limit and leave nothing."""

from __future__ import annotations

import os
import resource
import secrets
import time
from pathlib import Path

from hub.errors import SandboxError
from hub.sandbox.client import Sandbox
from hub.sandbox.conformance.check import Broken, CannotLimit, Make, Suite, expect
from hub.sandbox.types import MIB, Limits

SUITE = Suite()


def processes_with(marker: str) -> list[int]:
    """Return the host's processes that have `marker` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if marker.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def _require(sandbox: Sandbox, limit: str) -> None:
    applied = sandbox.limits[limit]
    if not applied.enforced:
        raise CannotLimit(f"{limit}: {applied.means} ({applied.note})")


def _gone(marker: str, within: float) -> None:
    deadline = time.monotonic() + within
    while processes_with(marker):
        expect(time.monotonic() < deadline, f"{marker}: still there after {within} s")
        time.sleep(0.01)


@SUITE.add("S8")
def _a_fork_bomb_stops_at_its_limit(make: Make) -> None:
    limits = Limits(processes=64)
    with make(limits=limits) as sandbox, make() as neighbour:
        _require(sandbox, "processes")
        begin = time.monotonic()
        result = sandbox.shell(":(){ :|:& };:; sleep 30", timeout=1.0)
        expect(result.timed_out or result.notice, f"saw {result}")
        expect(time.monotonic() - begin < 3.0, "it went on for 2 s after its timeout")
        expect(neighbour.shell("echo fine").stdout == "fine\n", "a neighbour was harmed")
        count = int(sandbox.exec("ls -d /proc/[0-9]* | wc -l").stdout)
        expect(count < 10, f"{count} processes are left")


_HOG = "blocks = []\nwhile True: blocks.append(bytearray(16 << 20))"


@SUITE.add("S9")
def _a_memory_hog_stops_at_its_limit(make: Make) -> None:
    with make(limits=Limits(memory=256 * MIB)) as sandbox:
        _require(sandbox, "memory")
        result = sandbox.exec(["python3", "-c", _HOG], timeout=30)
        if "cgroup" in sandbox.limits["memory"].means:
            expect(result.exit_code == 137, f"not killed: {result}")
            expect("Out of memory" in result.notice, f"not said why: {result.notice!r}")
        expect(result.exit_code != 0 and not result.timed_out, f"saw {result}")
        expect(sandbox.exec("echo fine").stdout == "fine\n", "the sandbox died with it")


@SUITE.add("S9")
def _many_processes_together_stop_at_the_memory_limit(make: Make) -> None:
    with make(limits=Limits(memory=256 * MIB)) as sandbox:
        if "cgroup" not in sandbox.limits["memory"].means:
            raise CannotLimit(f"memory: {sandbox.limits['memory'].note}")
        hog = "import time; x = bytearray(100 << 20); time.sleep(1.5); print('kept')"
        command = " & ".join([f'python3 -c "{hog}"'] * 6) + "; wait"
        kept = sandbox.exec(command, timeout=30).stdout.count("kept")
        expect(kept <= 2, f"{kept} times 100 MiB fit into 256")


@SUITE.add("S10")
def _filling_every_file_system_stops_at_the_disk_limit(make: Make) -> None:
    limits = Limits(disk=64 * MIB)
    with make(limits=limits) as sandbox:
        _require(sandbox, "disk")
        free = sandbox.exec("df -k --output=target,size | tail -n +2").stdout
        script = """
for d in / /workspace /tmp /var/tmp /dev /dev/shm /run /root /home /proc /sys /usr /etc; do
  for i in 1 2 3; do dd if=/dev/zero of=$d/fill.$i bs=1M count=40 2>/dev/null; done
done
find / /tmp /dev /dev/shm /var/tmp /workspace -xdev -name 'fill.*' 2>/dev/null | sort -u |
  xargs -r stat -c %s
"""
        sizes = [int(word) for word in sandbox.exec(script, timeout=60).stdout.split()]
        expect(sum(sizes) <= limits.disk, f"{sum(sizes) / MIB:.0f} MiB written; {free}")
        expect(max(sizes, default=0) <= limits.disk, "a single file beyond the limit")
        expect(sandbox.exec("echo fine").stdout == "fine\n", "the sandbox died of it")


@SUITE.add("S11")
def _a_flood_of_output_costs_the_server_nothing(make: Make) -> None:
    limits = Limits(output=64 * 1024, flood=1 << 40)
    with make(limits=limits) as sandbox:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        result = sandbox.exec("echo first; yes; echo last", timeout=1.5)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        expect(result.timed_out and result.truncated, f"saw {result.timed_out} {result.truncated}")
        expect(len(result.stdout_bytes) < limits.output + 200, f"{len(result.stdout_bytes)} bytes")
        expect(result.stdout.startswith("first\ny\n") and "left out" in result.stdout, "no head")
        expect(grown < 32 * 1024, f"the server grew by {grown} KiB")
        text = "for i in $(seq 40000); do echo $i; done"
        result = sandbox.shell(text)
        expect(
            result.stdout.startswith("1\n2\n") and result.stdout.endswith("\n40000\n"), "no tail"
        )


@SUITE.add("S11")
def _a_flood_beyond_the_limit_is_killed(make: Make) -> None:
    with make(limits=Limits(flood=8 * MIB)) as sandbox:
        for run in (sandbox.exec, sandbox.shell):
            result = run("yes", timeout=30)
            expect(result.truncated and "killed" in result.notice, f"saw {result.notice!r}")
            expect(result.seconds < 15 and not result.timed_out, "only the timeout ended it")


@SUITE.add("S12")
def _no_daemon_survives_the_close(make: Make) -> None:
    marker = f"3133{secrets.randbelow(10**9)}"
    with make() as sandbox:
        sandbox.shell(
            f"(setsid nohup sh -c '(sleep {marker} &) ; sleep {marker}' >/dev/null 2>&1 &)"
        )
        sandbox.exec(f"setsid sleep {marker} &")
        deadline = time.monotonic() + 30
        while len(processes_with(marker)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        expect(len(processes_with(marker)) >= 3, "the daemons did not start")
    _gone(marker, 0.5)


@SUITE.add("S18")
def _a_loop_that_traps_signals_ends_at_its_timeout(make: Make) -> None:
    loop = "trap '' TERM INT HUP QUIT; while :; do :; done"
    with make() as sandbox:
        for run in (sandbox.exec, sandbox.shell):
            begin = time.monotonic()
            expect(run(loop, timeout=0.5).timed_out, "no timeout")
            expect(time.monotonic() - begin < 3.5, "it ended late")
        code = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
        result = sandbox.python(code, timeout=0.5)
        expect(result.timed_out and "Python ended" in result.notice, f"saw {result}")
        expect(sandbox.python("1").stdout == "1\n", "no new Python")


@SUITE.add("S20")
def _an_agent_that_destroys_its_sandbox_is_told_from_the_machine(make: Make) -> None:
    with make() as sandbox:
        wrecked = sandbox.exec("rm -rf /bin /usr/bin/*sh /etc /lib64 2>/dev/null; echo done")
        expect(wrecked.exit_code in (0, 1, 137), f"saw {wrecked}")
        try:
            answer = sandbox.shell("echo fine")
            expect(answer.stdout == "fine\n", f"neither an answer nor an error: {answer}")
        except SandboxError as error:
            expect(error.attribution == "agent", f"attribution {error.attribution}: {error}")


@SUITE.add("S20")
def _a_sandbox_killed_from_outside_is_the_machines_fault(make: Make) -> None:
    marker = f"3144{secrets.randbelow(10**9)}"
    with make() as sandbox:
        sandbox.shell(f"sleep {marker} &")
        sandbox.kill()
        try:
            sandbox.exec("echo never")
        except SandboxError as error:
            expect(error.attribution == "infra", f"attribution {error.attribution}: {error}")
        else:
            raise Broken("a killed sandbox answered")
        _gone(marker, 2.0)
