"""The ladder: runs levels 1 to 4 in order and stops at the first that fails.

Each level rests on those below: a rollout that agrees says little while a component is wrong,
and a failure is easiest to mend at the lowest level that shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from hub.errors import MissingDependency
from hub.fidelity.checks import CheckReport, run_check
from hub.fidelity.declaration import Check, Declaration
from hub.fidelity.forced import ForcedReport, run_forced
from hub.fidelity.peers import PeerReport, run_peers
from hub.fidelity.plans import Exact
from hub.fidelity.rollouts import ExactReport, Progress, run_exact
from hub.fidelity.scipy_stats import stats
from hub.fidelity.spread import DistributionReport, run_distributions
from hub.fidelity.transfer import TransferReport, find_trainers, run_transfer

LevelState: TypeAlias = Literal["passed", "failed", "skipped"]
TOP = 4
CHECK_SEED = 20_260_101


@dataclass(frozen=True)
class LevelReport:
    """What one level found.

    Attributes:
        level: 1 to 4.
        state: `"passed"`, `"failed"` or `"skipped"`.
        detail: Why it failed or was skipped, in one line.
        checks: Results of L1 or L2.
        rollouts: Result of L3.
        distributions: Result of L3's second half.
        peers: Results of L3 beside further implementations.
        transfer: Result of L4.
    """

    level: int
    state: LevelState
    detail: str = ""
    checks: tuple[CheckReport, ...] = ()
    rollouts: ExactReport | ForcedReport | None = None
    distributions: DistributionReport | None = None
    peers: tuple[PeerReport, ...] = ()
    transfer: TransferReport | None = None


@dataclass(frozen=True)
class Run:
    """How to run the ladder.

    Attributes:
        level: Highest level to run.
        sample: Share of the declared sizes of L1 to L3, in (0, 1].
        work: Folder for the policies of L4.
        progress: Called as work goes on.
    """

    level: int = TOP
    sample: float = 1.0
    work: Path | None = None
    progress: Progress | None = None


def run_ladder(declaration: Declaration, run: Run) -> tuple[LevelReport, ...]:
    """Run levels 1 to `run.level`; those after a failure or a skip are not run.

    Returns:
        One report a level that was run.
    """
    reports: list[LevelReport] = []
    steps: tuple[Callable[[Declaration, Run], LevelReport], ...] = (_l1, _l2, _l3, _l4)
    for step in steps[: run.level]:
        reports.append(step(declaration, run))
        if reports[-1].state != "passed":
            break
    return tuple(reports)


def level_reached(reports: tuple[LevelReport, ...]) -> int:
    """Highest level that passed together with all below it; 0 for none."""
    return max((report.level for report in reports if report.state == "passed"), default=0)


def _l1(declaration: Declaration, run: Run) -> LevelReport:
    return _checks(1, declaration.components, run)


def _l2(declaration: Declaration, run: Run) -> LevelReport:
    return _checks(2, declaration.interactions, run)


def _checks(level: int, checks: tuple[Check, ...], run: Run) -> LevelReport:
    results = []
    for number, check in enumerate(checks, start=1):
        results.append(run_check(check, CHECK_SEED + number, run.sample))
        if run.progress:
            run.progress(f"L{level} checks", number, len(checks))
    bad = [result for result in results if not result.passed]
    detail = "; ".join(f"{result.name}: {_check_detail(result)}" for result in bad)
    return LevelReport(level, "failed" if bad else "passed", detail, checks=tuple(results))


def _check_detail(result: CheckReport) -> str:
    return result.detail or f"error {result.max_error:.3g} > {result.tolerance:.3g}"


def _l3(declaration: Declaration, run: Run) -> LevelReport:
    plan = declaration.rollouts
    rollouts: ExactReport | ForcedReport
    try:
        stats()  # asked for first: without scipy the rollouts would be for nothing
        if isinstance(plan, Exact):
            rollouts = run_exact(declaration, plan, run.sample, run.progress)
        else:
            rollouts = run_forced(declaration, plan, run.sample, run.progress)
        spread = run_distributions(declaration, declaration.distributions)
        peers = run_peers(declaration, run.sample, run.progress)
    except MissingDependency as error:
        return LevelReport(3, "skipped", str(error))
    except Exception as error:  # reported as a failure of the level, with its type and text
        return LevelReport(3, "failed", f"{type(error).__name__}: {error}")
    details = [*_rollout_detail(rollouts), *_spread_detail(spread)]
    details += [f"beside {peer.name}: {peer.detail}" for peer in peers if peer.state == "failed"]
    state: LevelState = "failed" if details else "passed"
    text = "; ".join(details)
    return LevelReport(3, state, text, rollouts=rollouts, distributions=spread, peers=peers)


def _rollout_detail(report: ExactReport | ForcedReport) -> list[str]:
    if report.passed:
        return []
    if isinstance(report, ForcedReport):
        return [
            f"largest error of a step {report.max_error:.3g} (tolerance {report.tolerance:.3g}), "
            f"of {report.free_steps} free steps {report.free_max_error:.3g} "
            f"(tolerance {report.free_tolerance:.3g})"
        ]
    assert report.difference is not None, "an exact comparison fails by a difference only"
    return [report.difference.sentence()]


def _spread_detail(report: DistributionReport) -> list[str]:
    return [
        f"observation[{part.index}] at horizon {part.horizon}: {part.reason} "
        f"(means {part.means[0]:.4g} and {part.means[1]:.4g}, p = {part.p:.2g})"
        for part in report.differing[:1]
    ]


def _l4(declaration: Declaration, run: Run) -> LevelReport:
    plan = declaration.transfer
    if plan is None:
        return LevelReport(4, "skipped", "the declaration has no transfer plan")
    if run.work is None:
        return LevelReport(4, "skipped", "no folder for the trained policies was given")
    try:
        report = run_transfer(declaration, plan, find_trainers(plan), run.work, run.progress)
    except MissingDependency as error:
        return LevelReport(4, "skipped", str(error))
    detail = "; ".join(f"trained in the {arm.trained_in}: {arm.statement}" for arm in report.arms)
    return LevelReport(4, "passed" if report.passed else "failed", detail, transfer=report)
