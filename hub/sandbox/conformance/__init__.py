"""The suite that every sandbox provider must pass: behaviour, escapes, exhaustion.

For a plugin's tests:

    @pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.name)
    def test_provider(check):
        outcome = conformance.run_check(check, "my-provider")
        if outcome.status == "skipped":
            pytest.skip(outcome.reason)
        assert outcome.status == "passed", outcome.reason

Without pytest: `python -m hub.sandbox.conformance PROVIDER`.
"""

from hub.sandbox.conformance import behaviour, escape, exhaustion
from hub.sandbox.conformance.check import (
    Broken,
    CannotLimit,
    Check,
    Make,
    Outcome,
    run_check,
    run_suite,
)

CHECKS = (*behaviour.SUITE.checks, *escape.SUITE.checks, *exhaustion.SUITE.checks)

__all__ = [
    "CHECKS",
    "Broken",
    "CannotLimit",
    "Check",
    "Make",
    "Outcome",
    "run_check",
    "run_suite",
]
