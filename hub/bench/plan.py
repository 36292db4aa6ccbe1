"""What a suite is asked to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


def _silent(message: str, done: int, total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class Plan:
    """What a suite is asked to do; the argument of every suite.

    Attributes:
        ids: Environments to measure; empty means every one that the suite applies to.
        lanes: Lane counts; empty means the suite's (or the card's) own.
        seconds: Length of one timed round.
        rounds: Timed rounds of each case; median and quartiles are taken over them.
        threads: CPU cores that one measured environment may use.
        quick: A first look in seconds: fewer lanes, and goals are shown but not held.
        timeout: Seconds without any sign of life after which a measuring process is stopped.
        progress: Called as `progress(message, done, total)` as the work goes on.
    """

    ids: tuple[str, ...] = ()
    lanes: tuple[int, ...] = ()
    seconds: float = 0.2
    rounds: int = 7
    threads: int = 1
    quick: bool = False
    timeout: float = 600.0
    progress: Callable[[str, int, int], None] = field(default=_silent, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return everything but `progress` as JSON values."""
        return {name: value for name, value in vars(self).items() if name != "progress"}

    @classmethod
    def from_json(cls, data: dict[str, Any], progress: Callable[[str, int, int], None]) -> Plan:
        """Make a plan of what `to_json` returned."""
        lists: dict[str, Any] = {name: tuple(data[name]) for name in ("ids", "lanes")}
        return cls(**{**data, **lists}, progress=progress)
