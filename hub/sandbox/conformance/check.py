"""A check, its outcome, and the run of a suite of them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hub.sandbox.api import create
from hub.sandbox.client import Sandbox


class Make(Protocol):
    """Starts a sandbox of the provider under test; arguments as for `hub.sandbox.create`."""

    def __call__(self, **kwargs: Any) -> Sandbox:
        """Start one."""


class Broken(AssertionError):
    """The provider does not do what it must; the message says what was seen."""


class CannotLimit(Exception):
    """This machine has no means for what the check needs: a skip with its reason, not a pass."""


def expect(condition: object, message: str) -> None:
    """Raise `Broken` with `message` unless `condition` holds."""
    if not condition:
        raise Broken(message)


@dataclass(frozen=True)
class Check:
    """One requirement.

    Attributes:
        name: A sentence of underscores.
        attack: Its number in the list of attacks (`"S8"`), or empty.
        run: Raises `Broken` or `CannotLimit`.
    """

    name: str
    attack: str
    run: Callable[[Make], None]


@dataclass(frozen=True)
class Outcome:
    """What became of one check."""

    name: str
    attack: str
    status: Literal["passed", "failed", "skipped"]
    reason: str
    seconds: float


class Suite:
    """Checks in the order of their definition."""

    def __init__(self) -> None:
        self.checks: list[Check] = []

    def add(self, attack: str = "") -> Callable[[Callable[[Make], None]], Callable[[Make], None]]:
        """Decorate a function as a check."""

        def take(function: Callable[[Make], None]) -> Callable[[Make], None]:
            self.checks.append(Check(function.__name__.strip("_"), attack, function))
            return function

        return take


def maker(provider: str) -> Make:
    """Return what starts sandboxes of `provider`."""

    def make(**kwargs: Any) -> Sandbox:
        return create(provider=provider, **kwargs)

    return make


def run_check(check: Check, provider: str) -> Outcome:
    """Run one check against `provider`."""
    begin = time.monotonic()
    status: Literal["passed", "failed", "skipped"] = "passed"
    reason = ""
    try:
        check.run(maker(provider))
    except CannotLimit as skip:
        status, reason = "skipped", str(skip)
    # A check may fail in any way, and the rest of the suite must still run.
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        status = "failed"
        reason = f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
    return Outcome(check.name, check.attack, status, reason, round(time.monotonic() - begin, 3))


def run_suite(checks: Iterable[Check], provider: str) -> list[Outcome]:
    """Run `checks` against `provider`, one after the other."""
    return [run_check(check, provider) for check in checks]
