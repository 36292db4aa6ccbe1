"""Logs of `go test -v` and `cargo test`."""

from __future__ import annotations

import re

from hub_agents.swe.logs.results import FAILED, PASSED, SKIPPED, Results, lines_of

_GO = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(\d[^()]*\)")
_GO_WORDS = {"PASS": PASSED, "FAIL": FAILED, "SKIP": SKIPPED}
_CARGO_WORDS = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}


def go_log(text: str) -> Results:
    """Read a log of `go test -v`; a subtest is `Test/sub`. Packages are not told apart."""
    results = Results()
    for line in lines_of(text):
        found = _GO.search(line)  # a test that wrote without ending its line stands before it
        if found:
            results.add(found[2], _GO_WORDS[found[1]])
    return results


def cargo_log(text: str) -> Results:
    """Read a log of `cargo test`; a documentation test is `file - item (line N)`."""
    results, pending = Results(), ""
    for line in lines_of(text):
        name, dots, rest = line.removeprefix("test ").partition(" ...")
        if line.startswith("test ") and dots:
            pending = name.removesuffix(" - should panic")
            word = rest.strip().partition(",")[0]  # "ignored, reason"
        else:
            word = line
        if pending and word in _CARGO_WORDS:
            results.add(pending, _CARGO_WORDS[word])
            pending = ""
    return results
