"""Decides what is measured beside what: cases in one group share their rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hub.bench.case import PATHS, Case
from hub.bench.keys import LANES, SYNC_LANES, BenchKeys, Goal
from hub.bench.plan import Plan
from hub.bench.subjects import accepts, compiles, find_spec

# One look at the call's own cost and one at a full batch; the latter alone where each compiles.
_QUICK_LANES = (1, 1024)


@dataclass
class Group:
    """Cases that are measured in the same interleaved rounds.

    Attributes:
        cases: Environments, the measured one first.
        functions: `module:function` of layers and peers, asked at the first case's lanes.
        reference: The case that the rows of this group are compared with, or None.
        goals: Ratios between its cases.
        wanted: Names of the functions' cases to measure; None means all.
    """

    cases: list[Case]
    functions: tuple[str, ...] = ()
    reference: Case | None = None
    goals: tuple[Goal, ...] = ()
    wanted: frozenset[str] | None = None

    def holds(self, case: Case) -> bool:
        """Tell whether `case` is measured in this group (as far as its names are known)."""
        if case.path in PATHS:
            return case in self.cases
        first = self.cases[0]
        same = (case.lanes, case.threads) == (first.lanes, first.threads)
        return bool(self.functions) and self.wanted is None and same


def plan_groups(plan: Plan, env_id: str, keys: BenchKeys) -> list[Group]:
    """Return the groups of one environment: lanes upwards, `make`, then what goals still need."""
    groups = _sweep(plan, env_id, keys)
    if not (plan.quick and compiles(env_id)):
        groups.append(_single(keys))
    for goal in keys.goals:
        for group in groups:
            if group.holds(goal.case) and group.holds(goal.over):
                group.goals += (goal,)
                break
        else:
            if not plan.quick:
                groups.append(_for_goal(goal, keys))
    return groups


def _sweep(plan: Plan, env_id: str, keys: BenchKeys) -> list[Group]:
    native = find_spec(env_id).vector_entry_point is not None
    own = Case("make_vec" if native else "sync", threads=plan.threads)
    variants = [own]
    if native and accepts(env_id, "copy"):
        variants.append(replace(own, options={"copy": False}))
    groups: list[Group] = []
    for lanes in _lanes(plan, env_id, keys, native):
        reference = _at(keys.reference, lanes)
        others = [reference, *(_at(peer, lanes) for peer in keys.peers)]
        cases = {str(case): case for case in [v.at(lanes) for v in variants] + others}
        groups.append(Group(list(cases.values()), keys.functions, reference))
    return groups


def _lanes(plan: Plan, env_id: str, keys: BenchKeys, native: bool) -> tuple[int, ...]:
    every = keys.lanes or (LANES if native else SYNC_LANES)
    if plan.lanes:
        return plan.lanes
    if plan.quick:
        wanted = _QUICK_LANES[-1:] if compiles(env_id) else _QUICK_LANES
        return tuple(n for n in every if n in wanted) or every[-1:]
    return every


def _at(case: Case, lanes: int) -> Case:
    return case.at(min(lanes, SYNC_LANES[-1]) if case.path == "sync" else lanes)


def _single(keys: BenchKeys) -> Group:
    reference = Case("make", keys.reference.id)
    return Group([Case("make"), reference], reference=reference)


def _for_goal(goal: Goal, keys: BenchKeys) -> Group:
    ends = [goal.case, goal.over]
    cases = [case for case in ends if case.path in PATHS]
    named = frozenset(str(case) for case in ends if case.path not in PATHS)
    functions = keys.functions if named else ()
    return Group(cases or [goal.case], functions, goals=(goal,), wanted=named)
