"""Logs of sympy's own runner, `bin/test --verbose`."""

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

_WORDS = {"ok": PASSED, "F": FAILED, "E": ERROR, "s": SKIPPED, "f": XFAIL, "X": XPASS}
_TEST = re.compile(r"test_\w*")
_HEADER = re.compile(r"_+ (\S*):(test_\w*) _+")
_VERDICTS = (" [FAIL]", " [OK]")


def sympy_log(text: str) -> Results:
    """Read a log of sympy's runner; a test goes by its function's name alone, as in SWE-bench.

    Two tests of one name are one, with the worse status.
    """
    results, pending = Results(), ""
    for line in lines_of(text):
        header = _HEADER.fullmatch(line)
        if header:
            results.add(header[2], FAILED)
            pending = ""
            continue
        for verdict in _VERDICTS:  # of a whole file, printed after its last test
            line = line.removesuffix(verdict).rstrip()
        name, _, rest = line.partition(" ")
        if _TEST.fullmatch(name):
            pending = name
            status = _WORDS.get(rest.rpartition(" ")[2])
        else:
            status = _WORDS.get(line)
        if pending and status:
            results.add(pending, status)
            pending = "" if line in _WORDS else pending
    return results
