"""The conformance suite: what an environment must be, checked at every step.

`check("CartPole-v1")` returns a `Report`; `hub check ID` prints one; `pytest --hub-conformance ID`
makes a test of each rule.
"""

from hub.conformance.report import SCHEMA, Check, Report, where
from hub.conformance.rules import TABLE as RULES
from hub.conformance.rules import Rule
from hub.conformance.runner import DEFAULT_SECONDS, check

__all__ = ["DEFAULT_SECONDS", "RULES", "SCHEMA", "Check", "Report", "Rule", "check", "where"]
