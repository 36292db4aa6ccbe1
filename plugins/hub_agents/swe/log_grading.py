"""Grades instances whose tests run by a command of their own, read from its log on the host.

The log is written by processes that have loaded the changed code. What bounds them:

- The command's exit status comes from the sandbox's first process, and a log that reports no
  failure beside an error is not believed.
- The readers (`hub_agents.swe.logs`) let no printed line cover a failure that the runner reports.
- Where an instance has decoys (`hub_agents.swe.guards` makes them), each guarded test runs in two
  sandboxes, in one of them in a form that must fail, and which one that is differs from test to
  test. So a log that is made up has to guess which tests are decoys: right by chance in one of two
  for the first and half as often for each further one.

What remains, without decoys: code that ends its process before the runner reports and prints a
whole log. The rows' own harnesses have that limit, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from hub.dialogue import Grade, SandboxOptions
from hub.trajectory import Outcome
from hub_agents.swe import commands, logs, report, runner
from hub_agents.swe import decoys as decoy
from hub_agents.swe.commands import Log
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.grading import Changes, Grader
from hub_agents.swe.guards import guarded
from hub_agents.swe.instance import Instance
from hub_agents.swe.runner import Broken


class CommandGrader(Grader):
    """Grades changes by the instance's own test command and log parser.

    A fail-to-pass test has to pass; a pass-to-pass test has to pass or to fail as its authors
    expect. As with every grader, changes that end the run are the agent's failure when the real fix
    and no change grade cleanly right after it.
    """

    def grade(self, instance: Instance, changes: Changes) -> Grade:
        """Grade, with decoys where there can be some.

        Raises:
            TaskError: The instance's own patches do not apply.
            SandboxError: A sandbox failed.
        """
        try:
            whole = guarded(instance, self._options)
        except Broken as error:
            what = f"the tests cannot be run under the real fix: {error}"
            return Grade(None, outcome=Outcome.INFRA_ERROR, reason=what)
        return super().grade(whole, changes)

    def _judged(self, instance: Instance, changes: Changes, patch: str = "") -> Grade:
        listed = [Decoy.from_json(value) for value in instance.decoys]
        for put in rounds(listed):
            overlay = _overlay(instance, put)
            with runner.workshop(
                instance, self._options, changes, overlay, 1 + len(instance.setup), patch
            ) as sandbox:
                commands.prepare(sandbox, instance)
                log = commands.run(sandbox, instance)
            grade = judged(instance, log, put)
            if grade.reward != 1.0:
                return grade
        return grade


def grader_of(instance: Instance, options: SandboxOptions) -> Grader:
    """Return what grades `instance`: by the reports of its tests, or by its own command's log."""
    return Grader(options) if instance.log_parser == report.PLUGIN else CommandGrader(options)


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
