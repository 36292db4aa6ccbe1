"""Readers of test logs, on the host: text in, a status for each test out.

They take any text, never raise, and take time in proportion to its length. A log is written by a
process that ran the code under test, so these rules bound what that code can claim:

- Of two reports on one test the worse one holds: printing "PASSED" covers no failure.
- Only places where a runner reports count. What a test printed is shown elsewhere by pytest.
- `contradiction` compares the log with how the command ended.

What remains: code that ends the process itself, before the runner can report, and prints a whole
log in the runner's form. No reader of a log can tell that one from the true one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hub.errors import TaskError
from hub_agents.swe.logs.compiled import cargo_log, go_log
from hub_agents.swe.logs.javascript import jest_log, mocha_log, tap_log
from hub_agents.swe.logs.pytest_log import (
    pytest_log,
    pytest_matplotlib_log,
    pytest_options_log,
    pytest_r2e_log,
)
from hub_agents.swe.logs.results import ERROR, FAILED, PASSED, STATUSES, Results
from hub_agents.swe.logs.sympy_log import sympy_log
from hub_agents.swe.logs.unittest_log import unittest_log

Parser = Callable[[str], Results]

PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "pytest": pytest_log,
        "pytest-options": pytest_options_log,
        "pytest-matplotlib": pytest_matplotlib_log,
        "pytest-r2e": pytest_r2e_log,
        "unittest": unittest_log,
        "django": unittest_log,
        "nose": unittest_log,
        "tox": pytest_log,
        "sympy": sympy_log,
        "go": go_log,
        "cargo": cargo_log,
        "jest": jest_log,
        "mocha": mocha_log,
        "tap": tap_log,
    }
)


def parser(name: str) -> Parser:
    """Return the reader of the logs called `name`.

    Raises:
        TaskError: There is none; the message lists those there are.
    """
    if name not in PARSERS:
        raise TaskError(f"log parser {name!r}: expected one of {', '.join(PARSERS)}")
    return PARSERS[name]


def status_of(test: str, results: Mapping[str, str]) -> str | None:
    """Return the status of `test`, None where the log does not report it.

    Lists of SWE-bench cut some names inside their parameters (`test_x[a` for `test_x[a b]`); such
    a name, with more brackets opened than closed, stands for every test that begins with it, and
    the worst of their statuses holds.
    """
    if test in results or test.count("[") <= test.count("]"):
        return results.get(test)
    found = [status for name, status in results.items() if name.startswith(test)]
    return max(found, key=STATUSES.index, default=None)


def contradiction(results: Mapping[str, str], exit_code: int) -> str | None:
    """Say why a log does not tell of the run that ended with `exit_code`; None where it may.

    A runner that ends with an error names what failed. The reverse proves nothing: a command may
    well end with 0 after failures (`pytest | tee log`).
    """
    if exit_code == 0 or any(status in (FAILED, ERROR) for status in results.values()):
        return None
    return f"the test command ended with {exit_code}, and its log reports no failure"


def interrupted(text: str) -> bool:
    """Tell whether pytest says at the end of a log that it was interrupted, as by SIGINT.

    Other runners die of that signal, which their exit status tells.
    """
    return any(line.strip("!") == " KeyboardInterrupt " for line in text.splitlines())


__all__ = [
    "PARSERS",
    "PASSED",
    "Parser",
    "Results",
    "contradiction",
    "interrupted",
    "parser",
    "status_of",
]
