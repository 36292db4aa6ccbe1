"""The tour: every environment of this machine checked and measured, one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from hub.bench import Case, Plan, Row, rate_case
from hub.bench.suites import run
from hub.conformance import check
from hub.describe import availability, fidelity
from hub.registry import EnvCard

SCHEMA = "hub.tour/1"
CHECK_SECONDS = 20.0

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Stop:
    """What the tour found of one environment.

    Attributes:
        id: Its id.
        backend: `c`, `rust`, `jax` or `python`.
        available: It can be made on this machine.
        reason: Why not, and `fix`, the command that mends it.
        check: `pass`, `fail` or `skip`.
        findings: What the conformance suite found, one line each.
        fidelity: Standing of its certificate, as in `hub list`.
        lanes: Lanes of the fastest case.
        steps_per_second: Median of the fastest case.
        reference: What that is compared with, and `ratio`, how many times faster it is.
    """

    id: str
    backend: str
    available: bool
    reason: str = ""
    fix: str = ""
    check: str = "skip"
    findings: tuple[str, ...] = ()
    fidelity: Any = None
    lanes: int | None = None
    steps_per_second: float | None = None
    reference: str = ""
    ratio: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the stop as a JSON object."""
        return {**asdict(self), "findings": list(self.findings)}


def tour(cards: Iterable[EnvCard], progress: Progress = lambda message: None) -> list[Stop]:
    """Check and measure every card; one that is absent is listed with the fix."""
    return [_visit(card, progress) for card in cards]


def _visit(card: EnvCard, progress: Progress) -> Stop:
    here = availability(card)
    if not here["available"]:
        return Stop(card.id, card.backend, False, here["reason"], here["fix"])
    progress(f"checking {card.id}")
    report = check(card.id, CHECK_SECONDS)
    progress(f"measuring {card.id}")
    best = _fastest(run("throughput", Plan(ids=(card.id,), quick=True, seconds=0.05, rounds=3)))
    return Stop(
        card.id,
        card.backend,
        True,
        check=report.status,
        findings=tuple(f"{found.name}: {found.message}" for found in report.failures),
        fidelity=fidelity(card),
        lanes=_lanes(best) if best else None,
        steps_per_second=best.median if best else None,
        reference=best.reference if best else "",
        ratio=best.ratio if best else None,
    )


def _fastest(rows: Iterable[Row]) -> Row | None:
    # Its own cases: what layers and peers reach is not the environment's speed.
    own = [row for row in rows if row.median and (case := rate_case(row)) and case.own]
    return max(own, key=lambda row: row.median or 0.0, default=None)


def _lanes(row: Row) -> int:
    return Case.parse(row.case).lanes
