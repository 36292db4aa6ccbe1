"""The tour: every environment of this machine checked and measured, and a task of each kind solved.

A language model's episode has no speed of its own. In its place the tour plays the task's oracle:
the agent that knows the solution works with the tools in the sandbox and is graded like a model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium

from hub.bench import Case, Plan, Row, rate_case
from hub.bench.suites import run
from hub.conformance import Check, check
from hub.describe import availability, fidelity
from hub.errors import HubError
from hub.registry import EnvCard

SCHEMA = "hub.tour/1"
CHECK_SECONDS = 45.0
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Solved:
    """What became of a task that its own oracle played.

    Attributes:
        task: Its id.
        reward: What the episode was graded with; None where it has no grade.
        reason: What the grader said.
        seconds: From the reset to the grade.
        tried: Whether the episode began; not where the task could not be fetched, for example.
    """

    task: str
    reward: float | None
    reason: str
    seconds: float
    tried: bool = True


@dataclass(frozen=True)
class Stop:
    """What the tour found of one environment.

    Attributes:
        id: Its id.
        backend: `c`, `rust`, `jax` or `python`.
        available: It can be made on this machine.
        reason: Why not, and `fix`, the command that mends it.
        check: `pass`, `fail` or `skip`.
        unreached: How many rules of the suite the tour's time did not reach.
        findings: What the conformance suite found, one line each.
        fidelity: Standing of its certificate, as in `hub list`.
        lanes: Lanes of the fastest case.
        steps_per_second: Median of the fastest case.
        reference: What that is compared with, and `ratio`, how many times faster it is.
        solved: What became of its first task, for agent environments whose tasks have an oracle.
    """

    id: str
    backend: str
    available: bool
    reason: str = ""
    fix: str = ""
    check: str = "skip"
    unreached: int = 0
    findings: tuple[str, ...] = ()
    fidelity: Any = None
    lanes: int | None = None
    steps_per_second: float | None = None
    reference: str = ""
    ratio: float | None = None
    solved: Solved | None = None

    @property
    def good(self) -> bool:
        """Whether nothing was found that is wrong."""
        one = self.solved
        return self.check != "fail" and (one is None or not one.tried or one.reward == 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return the stop as a JSON object."""
        return {**asdict(self), "findings": list(self.findings)}


def _silent(message: str) -> None:
    """Tell nobody."""


def tour(
    cards: Sequence[EnvCard], progress: Progress = _silent, detail: Progress = _silent
) -> list[Stop]:
    """Check and measure every card; one that is absent is listed with the fix.

    Args:
        cards: What to visit.
        progress: Called as a part of a visit begins, with what it is and how long it may take.
        detail: Called with every rule that is being checked.
    """
    return [
        _visit(card, f"({number} of {len(cards)})", progress, detail)
        for number, card in enumerate(cards, start=1)
    ]


def _visit(card: EnvCard, which: str, progress: Progress, detail: Progress) -> Stop:
    here = availability(card)
    if not here["available"]:
        return Stop(card.id, card.backend, False, here["reason"], here["fix"])
    progress(f"checking {card.id} {which}, up to {CHECK_SECONDS:g} s")

    def listen(name: str, done: Check | None) -> None:
        if done is None:
            detail(f"checking {card.id} {which}, up to {CHECK_SECONDS:g} s: {name}")

    report = check(card.id, CHECK_SECONDS, listener=listen)
    findings = tuple(f"{found.name}: {found.message}" for found in report.failures)
    if card.family == "agent":
        progress(f"solving a task of {card.id} {which}")
        return Stop(
            card.id,
            card.backend,
            True,
            check=report.status,
            unreached=len(report.unreached),
            findings=findings,
            solved=_solve(card),
        )
    progress(f"measuring {card.id} {which}")
    best = _fastest(run("throughput", Plan(ids=(card.id,), quick=True, seconds=0.05, rounds=3)))
    return Stop(
        card.id,
        card.backend,
        True,
        check=report.status,
        unreached=len(report.unreached),
        findings=findings,
        fidelity=fidelity(card),
        lanes=_lanes(best) if best else None,
        steps_per_second=best.median if best else None,
        reference=best.reference if best else "",
        ratio=best.ratio if best else None,
    )


def _solve(card: EnvCard) -> Solved | None:
    from hub.dialogue import Probed
    from hub.dialogue.env import DialogueEnv
    from hub.dialogue.validate import play

    with closing(gymnasium.make(card.id)) as made:
        env = made.unwrapped
        if not isinstance(env, DialogueEnv) or not isinstance(env.domain, Probed):
            return None
        task = env.domain.source.get(0)
        begin = time.monotonic()
        try:
            reward, reason = play(env, 0, env.domain.oracle(task))
        except HubError as error:
            return Solved(task.id, None, str(error), time.monotonic() - begin, tried=False)
        return Solved(task.id, reward, reason, time.monotonic() - begin)


def _fastest(rows: Iterable[Row]) -> Row | None:
    # Its own cases: what layers and peers reach is not the environment's speed.
    own = [row for row in rows if row.median and (case := rate_case(row)) and case.own]
    return max(own, key=lambda row: row.median or 0.0, default=None)


def _lanes(row: Row) -> int:
    return Case.parse(row.case).lanes
