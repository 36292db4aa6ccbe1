"""Logs of pytest: the progress lines of -v, with and without xdist, and the summary of -r.

The forms are those that pytest 9.2 and pytest-xdist 3.8 print; see the logs beside the tests.
"""

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

_WORDS = (PASSED, FAILED, ERROR, SKIPPED, XFAIL, XPASS)
_RULE = re.compile(r"={2,}+ (.*[^= ]) ={2,}")
_PERCENT = re.compile(r"\[\s*\d+%\]")
_WORKER = re.compile(r"\[gw\d+\] (?:\[\s*\d+%\] )?(\S+) (.+)")
# Parts of a log. What tests printed is shown in the details, so nothing there is a report.
_LIVE, _DETAILS, _SUMMARY = "live", "details", "summary"


def pytest_log(text: str) -> Results:
    """Read a log of pytest; names are whole node ids, spaces and all.

    Reports are progress lines before the first section of details, and lines of the short test
    summary up to the line of counts. Whatever stands elsewhere, as text that a test printed does,
    counts for nothing. A failed subtest fails its test. A file that cannot be collected is an
    ERROR by the file's name.
    """
    results, part, pending = Results(), _LIVE, ""
    for line in lines_of(text):
        title = _RULE.fullmatch(line)
        if title:
            part, pending = _part(title[1]), ""
        elif part == _SUMMARY:
            _summary_line(line, results)
        elif part == _LIVE:
            pending = _progress_line(line, pending, results)
    return results


def _part(title: str) -> str:
    if title.startswith("short test summary"):
        return _SUMMARY
    if title == "test session starts":
        return _LIVE
    return _DETAILS


def _summary_line(line: str, results: Results) -> None:
    word, _, rest = line.partition(" ")
    if word.startswith("SUBFAIL") and "::" in line:
        start = line.rfind(" ", 0, line.index("::")) + 1
        results.add(_without_reason(line[start:]), FAILED)
    elif word in _WORDS and not rest.startswith("["):  # "SKIPPED [1] file:line: why": no test
        results.add(rest if word == PASSED else _without_reason(rest), word)


def _without_reason(text: str) -> str:
    """Return the node id of `id - reason`, where the parameters in the id may hold ` - ` too."""
    cut = text.find(" - ")
    opened = text.find("[", text.rfind("::", 0, cut) + 1)
    if cut < 0 or not 0 <= opened < cut:
        return text if cut < 0 else text[:cut]
    closed = text.find("] - ", opened)
    if closed >= 0:
        return text[: closed + 1]
    return text if text.endswith("]") else text[:cut]


def _progress_line(line: str, pending: str, results: Results) -> str:
    """Record what a line of progress reports; return the test that a bare status would be of."""
    worker = _WORKER.fullmatch(line)
    if worker:
        word, name = worker.groups()
        status = FAILED if word.startswith("SUBFAIL") else word
        if status in _WORDS:
            results.add(name, status)
        return ""
    percent = line.rfind("[")
    if percent >= 0 and _PERCENT.fullmatch(line, percent):
        line = line[:percent].rstrip()
    if line in _WORDS:  # its test wrote to the terminal after the name
        results.add(pending, line)
        return pending
    if "::" not in line.partition(" ")[0]:
        return pending
    name, status = _ending(line)
    results.add(name if status else "", status or PASSED)
    return name


def _ending(line: str) -> tuple[str, str | None]:
    """Split `id STATUS` or `id STATUS (reason)`; no status where the line has none."""
    name, _, last = line.rpartition(" ")
    if last in _WORDS:
        return name.partition(" <- ")[0], last
    for word in (SKIPPED, XFAIL, XPASS):
        at = line.find(f" {word} (")
        if at >= 0 and line.endswith(")"):
            return line[:at].partition(" <- ")[0], word
    if " SUBFAIL" in line:
        return line[: line.index(" SUBFAIL")], FAILED
    return _identifier(line), None


def _identifier(line: str) -> str:
    """Return the node id at the start of a line, on whose end the test itself wrote."""
    end = line.find(" ")
    head = line if end < 0 else line[:end]
    if "[" not in head or head.endswith("]"):
        return head
    closed = line.find("] ")
    return line[: closed + 1] if closed >= 0 else line if line.endswith("]") else head


def pytest_options_log(text: str) -> Results:
    """As `pytest_log`, with an absolute path as parameter cut to its last part.

    So named in SWE-bench's lists for requests, pylint and pydicom: the path depends on the machine.
    """
    results = Results()
    for name, status in pytest_log(text).items():
        results.add(_shortened(name), status)
    return results


def _shortened(name: str) -> str:
    head, bracket, option = name.partition("[")
    option = option.removesuffix("]")
    if bracket and option.startswith("/") and not option.startswith("//") and "*" not in option:
        return f"{head}[/{option.rpartition('/')[2]}]"
    return name


def pytest_matplotlib_log(text: str) -> Results:
    """As `pytest_log`, with mouse buttons by number.

    So in SWE-bench's lists for matplotlib, as Python 3.11 changed how an enumeration prints.
    """
    return pytest_log(text.replace("MouseButton.LEFT", "1").replace("MouseButton.RIGHT", "3"))


def pytest_r2e_log(text: str) -> Results:
    """As `pytest_log`, named as R2E-Gym's expected outputs are: `Class.test`, without the file.

    What has no name inside a file (a file that cannot be collected) keeps its own.
    """
    results = Results()
    for name, status in pytest_log(text).items():
        results.add(".".join(name.split("::")[1:]) or name, status)
    return results
