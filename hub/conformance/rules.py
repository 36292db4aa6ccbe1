"""The table of rules, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hub.conformance import walk
from hub.conformance.session import Session


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: As reports name it.
        run: Looks for a breach: raises `Finding` or `Skipped`, or returns what it looked at.
        weight: Its share of the time.
    """

    name: str
    run: Callable[[Session], str]
    weight: float = 1.0

    @property
    def summary(self) -> str:
        """What the rule asks for, in one sentence."""
        return (self.run.__doc__ or "").partition("\n")[0]


TABLE: tuple[Rule, ...] = (
    Rule("run", walk.run, 4.0),
    Rule("observation", walk.observation),
    Rule("reward", walk.reward),
    Rule("flags", walk.flags),
    Rule("info", walk.info),
    Rule("episode_end", walk.episode_end),
)

# When one of these fails, the environment cannot be played and the others are not run.
GATES = frozenset({"make", "run"})
