"""Grades instances whose tests run by a command of their own, read from its log on the host.

The log is written by processes that have loaded the changed code. What bounds them:

- The command's exit status comes from the sandbox's first process, and a log that reports no
  failure beside an error is not believed.
- The readers (`hub_agents.swe.logs`) let no printed line cover a failure that the runner reports.
- Where an instance has decoys (`hub_agents.swe.adopt` makes them), each test runs in two sandboxes,
  in one of them in a form that must fail, and which one that is differs from test to test. So a log
  that is made up has to guess which tests are decoys: right by chance in one of two for the first
  and half as often for each further one.

What remains, without decoys: code that ends its process before the runner reports and prints a
whole log. The rows' own harnesses have that limit, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hub.dialogue import Grade
from hub.sandbox import Sandbox
from hub_agents.swe import decoys as decoy
from hub_agents.swe import logs, runner
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.grading import Changes, Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.logs.results import PASSED, XFAIL
from hub_agents.swe.runner import Broken

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


def run(sandbox: Sandbox, instance: Instance) -> Log:
    """Run the instance's test command, in a sandbox of `runner.workshop`, and read its log.

    Raises:
        Broken: It took too long, or printed more than is kept.
        SandboxError: The sandbox failed.
    """
    done = sandbox.exec(
        ["bash", "-c", f"exec 2>&1; {instance.test_command}"],
        cwd=instance.workdir,
        env=ENVIRONMENT,
        timeout=instance.seconds,
    )
    if done.timed_out:
        raise Broken(f"the tests took more than {instance.seconds:g} s")
    if done.truncated:
        raise Broken("the tests printed more than is kept of a log")
    results = logs.parser(instance.log_parser)(done.stdout)
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


class CommandGrader(Grader):
    """Grades changes by the instance's own test command and log parser.

    A fail-to-pass test has to pass; a pass-to-pass test has to pass or to fail as its authors
    expect. As with every grader, changes that end the run are the agent's failure when the real fix
    and no change grade cleanly right after it.
    """

    def _judged(self, instance: Instance, changes: Changes, patch: str = "") -> Grade:
        listed = [Decoy.from_json(value) for value in instance.decoys]
        for put in rounds(listed):
            overlay = _overlay(instance, put)
            with runner.workshop(
                instance, self._options, changes, overlay, 1 + len(instance.setup), patch
            ) as sandbox:
                prepare(sandbox, instance)
                log = run(sandbox, instance)
            grade = judged(instance, log, put)
            if grade.reward != 1.0:
                return grade
        return grade


def rounds(decoys: Sequence[Decoy]) -> list[list[Decoy]]:
    """Return the decoys of each sandbox: none of one, or those of half the functions in each."""
    functions = sorted({one.function for one in decoys})
    if not functions:
        return [[]]
    firsts = [next(one for one in decoys if one.function == name) for name in functions]
    return [firsts[::2], firsts[1::2]]


def _overlay(instance: Instance, put: Sequence[Decoy]) -> dict[str, str]:
    texts = dict(instance.tests)
    for path in {one.path for one in put}:
        texts[path] = decoy.edited(texts[path], [one for one in put if one.path == path])
    return texts


def judged(instance: Instance, log: Log, put: Sequence[Decoy]) -> Grade:
    """Grade one log; `put` are the decoys that stood in for their tests."""
    false = {test for one in put for test in one.fails}
    forged = sorted(test for test in false if log.passed(test))
    broken = [t for t in instance.fail_to_pass if t not in false and not log.passed(t)]
    lost = [t for t in instance.pass_to_pass if t not in false and not log.kept(t)]
    asked = [t for t in instance.fail_to_pass if t not in false]
    fixed = 1.0 - len(broken) / len(asked) if asked else 1.0
    parts = {"fixed": fixed, "forged": float(bool(forged))}
    reason = ""
    if forged:
        reason = f"forged: a test that cannot pass did ({forged[0]})"
    elif broken or lost:
        name = [*broken, *lost][0]
        status = logs.status_of(name, log.results) or "not reported"
        more = len(broken) + len(lost) - 1
        reason = f"{name}: {status}" + (f", and {more} more" if more else "")
        reason += f"; {log.doubt}" if log.doubt else ""
    elif log.doubt and not false:
        reason = log.doubt
    return Grade(0.0 if reason else 1.0, parts, reason=reason[:500])
