"""The ladder under test: seeded bugs, and the level at which each is caught."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from hub.errors import DeclarationError
from hub.fidelity.declaration import MIN_MUTANTS, Declaration, Mutant
from hub.fidelity.ladder import LevelReport, Run, run_ladder

# Shares of bugs caught at L1, L2 and L3 in the paper's battle simulator.
PAPER_SHARES = {1: 0.68, 2: 0.24, 3: 0.08}
MUTANT_LEVEL = 3
# A bug that a tenth of the checks catches is caught by all of them; the reverse costs ten times.
MUTANT_SAMPLE = 0.1


@dataclass(frozen=True)
class MutantRow:
    """What became of one mutant.

    Attributes:
        name: The mutant's.
        kind: The mutant's.
        summary: The mutant's.
        caught_at: Level of the first failure, or None for a survivor.
        detail: What failed.
    """

    name: str
    kind: str
    summary: str
    caught_at: int | None
    detail: str


@dataclass(frozen=True)
class MutantReport:
    """All mutants of a declaration.

    Attributes:
        passed: None survived and there are at least 30.
        rows: One a mutant.
        shares: Level -> share of the mutants caught there.
        survivors: Names of those that no level caught: each asks for a check of its own.
        sample: Share of the declared sizes of L1 to L3 that they were run with.
    """

    passed: bool
    rows: tuple[MutantRow, ...]
    shares: dict[int, float]
    survivors: tuple[str, ...]
    sample: float


def run_mutants(
    declaration: Declaration, run: Run, baseline: tuple[LevelReport, ...] = ()
) -> MutantReport:
    """Run a tenth of L1 to L3 with every mutant.

    Args:
        declaration: The translation's.
        run: `progress` is used, and `sample` where it is smaller still.
        baseline: What the same run found without mutants; the levels it lacks are run first.

    Raises:
        DeclarationError: The engine fails without any mutant, so that nothing can be learnt.
    """
    quiet = Run(MUTANT_LEVEL, min(run.sample, MUTANT_SAMPLE))
    below = baseline[:MUTANT_LEVEL]
    failure = _failure(below)
    if failure is None and len(below) < MUTANT_LEVEL:
        failure = _failure(run_ladder(declaration, quiet))
    if failure:
        raise DeclarationError(
            f"the engine fails L{failure.level} without any mutant: {failure.detail}"
        )
    rows = []
    for number, mutant in enumerate(declaration.mutants, start=1):
        rows.append(_run_one(declaration, mutant, quiet))
        if run.progress:
            run.progress("mutants", number, len(declaration.mutants))
    return summarise(rows, quiet.sample)


def summarise(rows: Iterable[MutantRow], sample: float = MUTANT_SAMPLE) -> MutantReport:
    """Count the rows by level."""
    rows = tuple(rows)
    caught = Counter(row.caught_at for row in rows if row.caught_at is not None)
    survivors = tuple(row.name for row in rows if row.caught_at is None)
    shares = {level: caught[level] / max(len(rows), 1) for level in sorted(PAPER_SHARES)}
    passed = not survivors and len(rows) >= MIN_MUTANTS
    return MutantReport(passed, rows, shares, survivors, sample)


def _run_one(declaration: Declaration, mutant: Mutant, run: Run) -> MutantRow:
    with mutant.inject():
        failure = _failure(run_ladder(declaration, run))
    level, detail = (failure.level, failure.detail) if failure else (None, "")
    return MutantRow(mutant.name, mutant.kind, mutant.summary, level, detail)


def _failure(reports: tuple[LevelReport, ...]) -> LevelReport | None:
    return next((report for report in reports if report.state != "passed"), None)
