"""Grades rows of datasets: their own test command runs once, and the host reads its log.

Such rows bring an image and a command, and no decoys: what their tests say is taken from the log of
a process that ran the code under test, as everywhere these datasets are used. What can be done from
outside is done: a fresh sandbox, tests and settings as they should be, the parser on the host, and
a log that the exit status contradicts is no pass.
"""

from __future__ import annotations

import re
import shlex

from hub.dialogue import Grade, SandboxOptions
from hub.sandbox import Sandbox
from hub_agents.swe import runner, transfer
from hub_agents.swe.filter import is_test
from hub_agents.swe.instance import Instance
from hub_agents.swe.runner import Broken, Changes

_NAMED = re.compile(r"^(?:\+\+\+ b/|rename to )([^\t\n]+)", re.MULTILINE)
_TOUCHED = re.compile(r"^(?:--- a/|\+\+\+ b/|rename (?:from|to) )([^\t\n]+)", re.MULTILINE)


def hidden(instance: Instance) -> set[str]:
    """Return the paths that grading writes itself, so that no change of them counts."""
    return {*instance.tests, *_TOUCHED.findall(instance.test_patch)}


def named(instance: Instance) -> list[str]:
    """Return what stands for `{tests}`: the hidden test files, or else the files of the tests."""
    written = sorted({*instance.tests, *_NAMED.findall(instance.test_patch)})
    files = [path for path in written if is_test(path) and not path.endswith("conftest.py")]
    both = (*instance.fail_to_pass, *instance.pass_to_pass)
    return files or sorted({name.partition("::")[0] for name in both if "::" in name})


def judged(instance: Instance, options: SandboxOptions, changes: Changes, patch: str = "") -> Grade:
    """Grade `changes` of the repository, or the real fix `patch`.

    Raises:
        Broken: The tests took too long, or nothing in the log is a test's status.
        SandboxError: The sandbox failed.
        TaskError: The instance does not fit its image.
    """
    from hub_agents.swe import logs

    with runner.workshop(instance, options, changes, instance.tests, 1, patch) as sandbox:
        text, status = _log(instance, sandbox)
    results = logs.parser(instance.log_parser)(text)
    if not results:
        raise Broken(f"the log reports no test (exit status {status}): {text.strip()[-200:]}")
    wanted = (*instance.fail_to_pass, *instance.pass_to_pass)
    statuses = {name: logs.status_of(name, results) for name in wanted}
    fixed = sum(statuses[name] == logs.PASSED for name in instance.fail_to_pass)
    parts = {"fixed": fixed / len(instance.fail_to_pass)}
    against = logs.contradiction(results, status)
    if against:
        return Grade(0.0, parts, reason=against)
    bad = [name for name in wanted if statuses[name] != logs.PASSED]
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        return Grade(0.0, parts, reason=f"{bad[0]}{more}: {statuses[bad[0]] or 'not reported'}")
    return Grade(1.0, parts, reason=f"{len(wanted)} tests passed")


def _log(instance: Instance, sandbox: Sandbox) -> tuple[str, int]:
    """Run setup and tests; return what the tests wrote, both streams as one, and the status."""
    for command in instance.setup:
        done = sandbox.exec(command, cwd=instance.workdir, timeout=instance.seconds)
        transfer.required(done, f"instance {instance.id}: setup {command!r:.80}")
    words = " ".join(map(shlex.quote, named(instance)))
    # In a shell of its own, so that a command of several lines keeps its streams together.
    command = f"exec 2>&1\n{instance.test_command.replace('{tests}', words)}"
    done = sandbox.exec(command, cwd=instance.workdir, timeout=instance.seconds)
    if done.timed_out:
        raise Broken(f"the tests took more than {instance.seconds:g} s")
    return done.stdout, done.exit_code
