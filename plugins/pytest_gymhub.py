"""Pytest plugin: `pytest --hub-conformance ID` makes a test of each conformance rule.

It is a module of its own, outside the package `hub`, because importing anything of `hub` loads
every plugin of the hub, which a test run that does not ask for it must not pay for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hub.conformance import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("hub", "gymhub")
    group.addoption(
        "--hub-conformance",
        action="append",
        default=[],
        metavar="ID",
        help="also test the environment ID against every conformance rule; may be repeated",
    )
    group.addoption(
        "--hub-conformance-seconds",
        type=float,
        default=None,
        metavar="S",
        help="time for each environment (default: that of `hub check`)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the rules of each environment that was asked for."""
    for env_id in config.getoption("hub_conformance"):
        suite = Suite.from_parent(session, name=env_id, nodeid=f"hub-conformance::{env_id}")
        items.extend(suite.collect())


class Suite(pytest.Collector):
    """The rules of one environment; those that pytest selected run when the first is tested."""

    _report: Report | None = None
    _error: Exception | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one item per rule."""
        from hub.conformance import RULES

        for rule in RULES:
            yield RuleItem.from_parent(self, name=rule.name, summary=rule.summary)

    def report(self) -> Report:
        """Run the suite at the first call; raises what it raised at every call."""
        from hub.conformance import DEFAULT_SECONDS, check
        from hub.errors import HubError

        if self._report is None and self._error is None:
            seconds = self.config.getoption("hub_conformance_seconds")
            try:
                self._report = check(self.name, seconds or DEFAULT_SECONDS, rules=self._selected())
            except HubError as error:
                self._error = error
        if self._error is not None:
            raise self._error
        assert self._report is not None
        return self._report

    def _selected(self) -> list[str]:
        return [item.name for item in self.session.items if item.parent is self]


class BrokenRule(Exception):
    """The environment breaks the rule."""


class RuleItem(pytest.Item):
    """One rule as a test."""

    def __init__(self, *, summary: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.summary = summary

    def runtest(self) -> None:
        """Fail or skip as the report says."""
        from hub.conformance import where

        assert isinstance(self.parent, Suite)
        outcome = self.parent.report().check(self.name)
        if outcome.status == "skip":
            pytest.skip(outcome.message)
        if outcome.status == "fail":
            text = f"{self.summary}\nfound: {outcome.message}{where(outcome)}"
            raise BrokenRule(f"{self.parent.name} breaks the rule {self.name}: {text}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Show the finding alone: a traceback through the suite tells an author nothing."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Any, None, str]:
        """Name the test in pytest's output."""
        assert self.parent is not None
        return self.path, None, f"{self.parent.name}: {self.name}"
