"""Runs the test command of an instance in a sandbox, and reads its log on the host."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from hub.sandbox import Sandbox
from hub_agents.swe import logs
from hub_agents.swe.filter import is_test
from hub_agents.swe.instance import Instance
from hub_agents.swe.logs.results import PASSED, XFAIL
from hub_agents.swe.patches import touched
from hub_agents.swe.runner import Broken
from hub_agents.swe.transfer import killed

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}


@dataclass(frozen=True)
class Log:
    """What one run of the test command gave.

    Attributes:
        results: Status of each test by name, as claimed.
        doubt: Why the log is not believed; empty where it may be.
        output: What the command printed.
    """

    results: Mapping[str, str]
    doubt: str
    output: str

    def passed(self, test: str) -> bool:
        """Tell whether the log claims that `test` passed."""
        return logs.status_of(test, self.results) == PASSED

    def kept(self, test: str) -> bool:
        """Tell whether it claims that `test` passed, or failed as its authors expect."""
        return logs.status_of(test, self.results) in (PASSED, XFAIL)


def named(instance: Instance) -> str:
    """Return what stands for `{tests}`, as words of shell: the files of the hidden tests."""
    files = [*instance.tests, *(f.path for f in touched(instance.test_patch) if not f.deleted)]
    tests = [path for path in files if is_test(path) and not path.endswith("conftest.py")]
    listed = (*instance.fail_to_pass, *instance.pass_to_pass)
    found = tests or [name.partition("::")[0] for name in listed if "::" in name]
    return " ".join(map(shlex.quote, sorted(set(found))))


def run(sandbox: Sandbox, instance: Instance) -> Log:
    """Run the instance's test command, in a sandbox of `runner.workshop`, and read its log.

    Raises:
        Broken: It took too long, was ended by a signal or interrupted, printed more than is kept,
            or reports no test.
        SandboxError: The sandbox failed.
    """
    done = sandbox.exec(
        ["bash", "-c", f"exec 2>&1\n{instance.test_command.replace('{tests}', named(instance))}"],
        cwd=instance.workdir,
        env=ENVIRONMENT,
        timeout=instance.seconds,
    )
    if done.timed_out:
        raise Broken(f"the tests took more than {instance.seconds:g} s")
    if killed(done.exit_code):
        raise Broken(f"the test command was ended by signal {done.exit_code - 128}")
    if done.truncated:
        raise Broken("the tests printed more than is kept of a log")
    results = logs.parser(instance.log_parser)(done.stdout)
    if logs.interrupted(done.stdout):
        raise Broken(f"the tests were interrupted (exit status {done.exit_code})")
    if not results:
        said = done.stdout.strip()[-200:]
        raise Broken(f"the log reports no test (exit status {done.exit_code}): {said}")
    return Log(results, logs.contradiction(results, done.exit_code) or "", done.stdout)


def prepare(sandbox: Sandbox, instance: Instance) -> None:
    """Run the instance's `setup`, which may run code of the changes.

    Raises:
        Broken: A command of it failed.
        SandboxError: The sandbox failed.
    """
    for command in instance.setup:
        done = sandbox.exec(
            ["bash", "-c", command],
            cwd=instance.workdir,
            env=ENVIRONMENT,
            timeout=instance.seconds,
        )
        if done.timed_out or done.exit_code:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise Broken(f"setup {command[:80]!r} ended with {done.exit_code}: {last[:200]}")
