"""Logs of jest (`--verbose`), mocha and whatever writes the Test Anything Protocol."""

from __future__ import annotations

import re

from hub_agents.swe.logs.results import FAILED, PASSED, SKIPPED, Results, lines_of

_TIME = re.compile(r" \(\d+(?:\.\d+)? ?m?s\)")
_NUMBER = re.compile(r"\d+\) ")
_JEST = {"✓ ": PASSED, "✕ ": FAILED, "○ skipped ": SKIPPED, "✎ todo ": SKIPPED}
_MOCHA = {"✔ ": PASSED, "✓ ": PASSED, "- ": SKIPPED}
_PASSING = re.compile(r"\s+\d+ passing\b.*")
_SUITE = re.compile(r"(?:PASS|FAIL) \S+.*")
_TAP = re.compile(r"\s*(not )?ok\b(?: \d+)?(?: -)? ?(.*)")
_DIRECTIVE = re.compile(r" # (SKIP|TODO)\b.*", re.IGNORECASE)


def jest_log(text: str) -> Results:
    """Read a log of `jest --verbose`.

    A test goes by its own title, as in SWE-bench's and SWE-rebench's lists, and by the titles of
    its groups and its own, joined by " > ".
    """
    results, groups, inside = Results(), _Groups(), False
    for line in lines_of(text):
        if _SUITE.fullmatch(line):
            inside, groups = True, _Groups()
        elif line.startswith(("  ●", "Test Suites:")):
            inside = False
        elif inside:
            _tree_line(line, _JEST, groups, results)
    return results


def mocha_log(text: str) -> Results:
    """Read a log of mocha's `spec` reporter; names as in `jest_log`."""
    results, groups = Results(), _Groups()
    for line in lines_of(text):
        if _PASSING.fullmatch(line):
            break  # what follows repeats the failures
        number = _NUMBER.match(line.lstrip())
        if number:
            indent = len(line) - len(line.lstrip())
            _named(groups, indent, line.lstrip()[number.end() :], FAILED, results)
        else:
            _tree_line(line, _MOCHA, groups, results)
    return results


def tap_log(text: str) -> Results:
    """Read the Test Anything Protocol, nested as node writes it; a test goes by its description."""
    results = Results()
    for line in lines_of(text):
        found = _TAP.fullmatch(line)
        if not found:
            continue
        failed, name = found.groups()
        directive = _DIRECTIVE.search(name)
        name = name[: directive.start()] if directive else name
        results.add(name, SKIPPED if directive else FAILED if failed else PASSED)
    return results


class _Groups:
    """The titles that the lines so far are inside of, by how far they are indented."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def leave(self, indent: int) -> None:
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()

    def enter(self, indent: int, title: str) -> None:
        # No suite nests deeper; without a bound a log of ever deeper lines costs its square.
        if len(self._open) < 50:
            self._open.append((indent, title))

    def path(self, title: str) -> str:
        return " > ".join([*(name[:200] for _, name in self._open), title])


def _tree_line(line: str, marks: dict[str, str], groups: _Groups, results: Results) -> None:
    title = line.lstrip()
    indent = len(line) - len(title)
    if not title or not indent:
        return
    for mark, status in marks.items():
        if title.startswith(mark):
            _named(groups, indent, title.removeprefix(mark), status, results)
            return
    groups.leave(indent)
    groups.enter(indent, title)


def _named(groups: _Groups, indent: int, title: str, status: str, results: Results) -> None:
    last = title.rfind(" (")
    if last >= 0 and _TIME.fullmatch(title, last):
        title = title[:last]
    groups.leave(indent)
    results.add(title, status)
    results.add(groups.path(title), status)
