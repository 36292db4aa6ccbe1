"""Logs of `unittest -v`, and of the runners that print as it does: Django's and nose's."""

from __future__ import annotations

import re

from hub_agents.swe.logs.results import (
    ERROR,
    FAILED,
    PASSED,
    SKIPPED,
    XFAIL,
    XPASS,
    Results,
    lines_of,
)

_WORDS = {
    "ok": PASSED,
    "FAIL": FAILED,
    "ERROR": ERROR,
    "skipped": SKIPPED,
    "expected failure": XFAIL,
    "unexpected success": XPASS,
}
_ID = re.compile(r"[^\s()]+ \([^\s()]+\)")
# Django prints the steps of a migration before the name of the test that runs it.
_GLUED = re.compile(r"\.\.\.([^\s().]+ \([^\s()]+\))")
_HEADERS = {"FAIL: ": FAILED, "ERROR: ": ERROR, "UNEXPECTED SUCCESS: ": XPASS}


def unittest_log(text: str) -> Results:
    """Read a log of `unittest -v`.

    A test is named as the runner names it, `method (module.Class)`; one with a docstring goes by
    the docstring's first line besides, which is how Django's tests are named in SWE-bench. A status
    on a line of its own belongs to the test before it. The headers of the failures at the end hold
    against whatever the tests printed; a failed subtest fails its test.
    """
    reader = _Reader()
    for line in lines_of(text):
        reader.take(line)
    return reader.results


class _Reader:
    def __init__(self) -> None:
        self.results = Results()
        self.named = ""  # the line before, where it is a test's name alone
        self.waiting: tuple[str, ...] = ()  # names of the test whose status is still to come
        self.ruled = False  # the line before was a rule of "="
        self.failed: str | None = None  # status of the header before, whose docstring may follow

    def take(self, line: str) -> None:
        header = next((key for key in _HEADERS if self.ruled and line.startswith(key)), None)
        named, self.named = self.named, line if _ID.fullmatch(line) else ""
        self.ruled = len(line) > 9 and not line.strip("=")
        if header:
            self.failed, self.waiting = _HEADERS[header], ()
            self._report((_base(line.removeprefix(header)),), self.failed)
        elif self.failed:
            self._report((line if line.strip("-") else "",), self.failed)
            self.failed = None
        elif " ... " in f"{line} ":
            self._progress(line, named)
        elif self.waiting and (status := _status(line.strip())):
            self._report(self.waiting, status)
            self.waiting = ()

    def _progress(self, line: str, named: str) -> None:
        name, _, rest = f"{line} ".partition(" ... ")
        glued = _GLUED.search(name)
        own = _base(glued[1] if glued else name.strip())
        names = (named, own) if named and own != named else (own,)
        status = _status(rest.strip())
        if status is None and rest.rstrip().endswith("ok"):  # it wrote without ending its line
            status = PASSED
        self.waiting = () if status else names
        if status:
            self._report(names, status)

    def _report(self, names: tuple[str, ...], status: str) -> None:
        for name in names:
            self.results.add(name, status)


def _status(text: str) -> str | None:
    return _WORDS.get("skipped" if text.startswith("skipped") else text)


def _base(name: str) -> str:
    """Return a test's name without what tells its subtests apart."""
    found = _ID.match(name)
    return found[0] if found and name[found.end() :][:1] in ("", " ") else name
