"""What a run of pytest reports: the plugin that writes it inside, and its reader on the host.

The process that writes it has loaded the code under test, so each line is a claim and no verdict;
`hub_agents.swe.grading` says what holds the claims to account.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

PLUGIN = "hub_report"  # the name of this reader as an instance's `log_parser`

# Runs inside, on whatever Python the image has; reads arguments from its standard input, so that
# neither a file, a module, nor the command line has a fixed place where the code under test finds
# them. That makes forging harder, not impossible: it is one process.
SOURCE = """\
def _main():
    import json
    import os
    import sys

    words = json.loads(sys.stdin.readline())
    out = os.dup(3)
    os.close(3)

    def say(**line):
        data = (json.dumps(line) + "\\n").encode()
        while data:
            data = data[os.write(out, data) :]

    class Reporter:
        interrupted = False

        def pytest_runtest_logreport(self, report):
            crash = getattr(report.longrepr, "reprcrash", None)
            say(
                id=report.nodeid,
                when=report.when,
                outcome=report.outcome,
                xfail=hasattr(report, "wasxfail"),
                error=str(getattr(crash, "message", ""))[:300],
            )

        def pytest_collectreport(self, report):
            if report.failed:
                error = str(report.longrepr)[-800:]
                say(id=report.nodeid, when="collect", outcome="failed", error=error)

        def pytest_keyboard_interrupt(self, excinfo):
            # pytest's own kinds of it mean that it stops by itself, as where nothing is collected.
            self.interrupted = excinfo.type is KeyboardInterrupt

        def pytest_sessionfinish(self, session, exitstatus):
            if not self.interrupted:
                say(end=int(exitstatus))

    import pytest

    sys.exit(pytest.main(words, plugins=[Reporter()]))


_main()
"""


@dataclass(frozen=True)
class Result:
    """What one test came to.

    Attributes:
        outcome: `passed`, `failed` (by the test itself), `error` (before or after it), `skipped`.
        error: The first line of what it raised.
    """

    outcome: str
    error: str = ""

    @property
    def asserted(self) -> bool:
        """Whether it failed by an assertion."""
        return self.outcome == "failed" and self.error.startswith(("AssertionError", "assert "))


@dataclass(frozen=True)
class Report:
    """What a run claims.

    Attributes:
        results: By node id.
        uncollected: Files that could not be collected, with the reason.
        ended: pytest's exit status; None where the run broke off or was interrupted.
    """

    results: Mapping[str, Result]
    uncollected: Mapping[str, str]
    ended: int | None


def parse(text: str) -> Report:
    """Read what the plugin wrote; lines that it cannot have written are left out.

    A test passes when its setup, call and teardown do. An expected failure counts as skipped, an
    unexpected pass as failed; a test that is reported twice has the worse outcome.
    """
    results: dict[str, Result] = {}
    uncollected: dict[str, str] = {}
    ended: int | None = None
    for line in text.splitlines():
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(said, dict):
            continue
        if type(said.get("end")) is int:
            ended = said["end"]
        name, when, outcome = (said.get(key) for key in ("id", "when", "outcome"))
        if not isinstance(name, str) or not isinstance(outcome, str):
            continue
        error = str(said.get("error", ""))
        if when == "collect":
            uncollected[name] = error
            continue
        found = _result(str(when), outcome, bool(said.get("xfail")), error)
        known = results.get(name)
        if found is not None and (known is None or _worse(found, known)):
            results[name] = found
    return Report(results, uncollected, ended)


def _result(when: str, outcome: str, xfail: bool, error: str) -> Result | None:
    if outcome == "failed":
        return Result("failed" if when == "call" else "error", error)
    if outcome == "skipped":
        return Result("skipped", error)
    if outcome == "passed" and when == "call":
        return Result("failed", "an unexpected pass") if xfail else Result("passed")
    return None


_ORDER = ("passed", "skipped", "failed", "error")


def _worse(one: Result, other: Result) -> bool:
    return _ORDER.index(one.outcome) > _ORDER.index(other.outcome)
