"""Grades instances whose tests run by a command of their own, by its log, read on the host.

The log is written by processes that have loaded the changed code. What bounds them:

- The command's exit status comes from the sandbox's first process, and a log that reports no
  failure beside an error is not believed: that run is broken (`hub_agents.swe.grading`).
- The readers (`hub_agents.swe.logs`) let no printed line cover a failure that the runner reports.
- Decoys: instances get some of their own tests (`hub_agents.swe.guards`). Each guarded test runs in
  two sandboxes, in one of them in a form that must fail, in the other in one that must pass, and
  which one that is differs from test to test. So a log that is made up has to tell which forms
  hold (`hub_agents.swe.forms`): right by chance in one of four for each test function.

What remains where there can be no decoys (no known fix, tests not in Python): code that ends its
process before the runner reports and prints a whole log. The datasets' own harnesses have that
limit, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from hub.dialogue import Grade, SandboxOptions
from hub_agents.swe import commands, logs, runner
from hub_agents.swe import decoys as decoy
from hub_agents.swe.commands import Log
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.guards import guarded
from hub_agents.swe.instance import Instance
from hub_agents.swe.runner import Broken, Changes


def judged(instance: Instance, options: SandboxOptions, changes: Changes, patch: str = "") -> Grade:
    """Grade `changes` of the repository, or the real fix `patch`.

    A fail-to-pass test has to pass; a pass-to-pass test has to pass or to fail as its authors
    expect.

    Raises:
        Broken: The tests took too long, printed too much, were ended by a signal or contradict
            their exit status, or cannot be set up.
        SandboxError: The sandbox failed.
        TaskError: The instance does not fit its image.
    """
    whole = guarded(instance, options)
    grade = Grade(1.0)
    for put in rounds([Decoy.from_json(value) for value in whole.decoys]):
        overlay = decoy.overlaid(whole.tests, put)
        runs = 1 + len(whole.setup)
        with runner.workshop(whole, options, changes, overlay, runs, patch) as sandbox:
            commands.prepare(sandbox, whole)
            log = commands.run(sandbox, whole)
        grade = graded(whole, log, put)
        if grade.reward != 1.0:
            break
    return grade


def rounds(decoys: Sequence[Decoy]) -> list[list[Decoy]]:
    """Return the forms of each sandbox: every function holds in one and not in the other."""
    functions = sorted({one.function for one in decoys})
    if not functions:
        return [[]]
    sides: list[list[Decoy]] = [[], []]
    for at, name in enumerate(functions):
        for one in (one for one in decoys if one.function == name):
            sides[(at + one.holds) % 2].append(one)
    return sides


def graded(instance: Instance, log: Log, put: Sequence[Decoy]) -> Grade:
    """Grade one log; `put` are the forms that stood in for their tests.

    Raises:
        Broken: It reports no failure, and the command's exit status one.
    """
    false = {test for one in put if not one.holds for test, _ in one.tests}
    met = {t for one in put if one.says == decoy.WRONG for t, _ in one.tests}
    forged = sorted(test for test in met if log.passed(test))
    # Code that is merely wrong passes the opposite of a test.
    opposite = sorted(test for test in false - met if log.passed(test))
    asked = [t for t in instance.fail_to_pass if t not in false]
    broken = [t for t in asked if not log.passed(t)]
    lost = [t for t in instance.pass_to_pass if t not in false and not log.kept(t)]
    fixed = 1.0 - len(broken) / len(asked) if asked else 1.0
    parts = {"fixed": fixed, "forged": float(bool(forged))}
    if forged:
        return Grade(0.0, parts, reason=f"forged: a test that cannot pass did ({forged[0]})")
    if opposite and not broken and not lost:
        return Grade(0.0, parts, reason=f"{opposite[0]}: FAILED, as its opposite passes")
    if broken or lost:
        name = [*broken, *lost][0]
        more = len(broken) + len(lost) - 1
        reason = f"{name}: {logs.status_of(name, log.results) or 'not reported'}"
        reason += f", and {more} more" if more else ""
        reason += f"; {log.doubt}" if log.doubt else ""
        return Grade(0.0, parts, reason=reason[:500])
    if log.doubt:
        raise Broken(log.doubt)
    passed = len(instance.fail_to_pass) + len(instance.pass_to_pass)
    return Grade(1.0, parts, reason=f"{passed} tests passed")
