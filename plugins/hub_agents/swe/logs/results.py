"""What a log parser works on and what it gives: clean lines, and a status for each test."""

from __future__ import annotations

import re

PASSED, FAILED, ERROR = "PASSED", "FAILED", "ERROR"
SKIPPED, XFAIL, XPASS = "SKIPPED", "XFAIL", "XPASS"

# From best to worst: of two reports on one test the worse one holds.
STATUSES = (PASSED, XFAIL, XPASS, SKIPPED, FAILED, ERROR)
_RANK = {status: rank for rank, status in enumerate(STATUSES)}

# ECMA-48 control sequences, operating system commands, two-character escapes. The quantifiers are
# possessive, so a log of broken escapes costs no more than another of its length.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]?|\x1b\][^\x07\x1b]*+(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?"
)
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127))


def lines_of(text: str) -> list[str]:
    """Return the lines of a log without colours, control characters and trailing spaces.

    A carriage return ends a line too, as a terminal shows what came last. Unicode's own line
    separators do not: they occur inside names of tests.
    """
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return [line.rstrip() for line in text.translate(_CONTROLS).split("\n")]


class Results(dict[str, str]):
    """Status of each test by its name; a test that is reported twice keeps the worse status.

    So what code under test prints can add a name, but cannot cover a failure that the runner
    reports.
    """

    def add(self, name: str, status: str) -> None:
        """Record a report; an empty name is none."""
        name = name.strip()
        if name and (name not in self or _RANK[status] > _RANK[self[name]]):
            self[name] = status
