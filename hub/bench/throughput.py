"""Suite `throughput`: environment steps per second with random actions, lane by lane.

Every environment is measured in a process of its own, on one core unless told otherwise, in
rounds interleaved with its reference, its peers and the layers below its Python API. Compile time
is a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gymnasium.error import DependencyNotInstalled

from hub.bench.case import Case
from hub.bench.groups import Group, plan_groups
from hub.bench.isolate import isolated
from hub.bench.keys import BenchKeys, Goal
from hub.bench.measure import Figures, Subject, cores, rounds
from hub.bench.plan import Plan
from hub.bench.row import Row, better, quartiles
from hub.bench.startup import startup
from hub.bench.subjects import build, build_functions, compiles
from hub.errors import TargetError
from hub.plugins import PLUGINS

SUITE = "throughput"
# A first call that is slower than a usual one by more than this compiled something.
_COMPILED = 0.1


def run(plan: Plan) -> Iterator[Row]:
    """Measure every environment of the plan, by default every available one with actions to sample.

    Agent tasks are left out by default: their actions are what a model says.
    """
    ids = plan.ids or tuple(
        card.id for card in PLUGINS.registry if card.family != "agent" and not card.missing()
    )
    total = len(ids)
    for done, env_id in enumerate(ids):

        def progress(message: str, part: int, parts: int, done: int = done) -> None:
            plan.progress(message, done * 1000 + part * 1000 // max(parts, 1), total * 1000)

        card = PLUGINS.registry.card(env_id) if env_id in PLUGINS.registry else None
        if card is not None and card.missing():
            why = f"{card.reason()}. Fix: {card.fix()}"
            yield Row(SUITE, env_id, "environment", "", skipped=why)
            continue
        target = "hub.bench.throughput:measure"
        one = replace(plan, ids=(env_id,), progress=progress)
        yield from isolated(one, target, env_id, suite=SUITE, env_id=env_id)
    if not plan.ids:
        yield from startup(plan, SUITE)


def measure(plan: Plan, env_id: str) -> Iterator[Row]:
    """Measure one environment in this process; what `run` calls in a fresh one."""
    known = env_id in PLUGINS.registry
    card = PLUGINS.registry.card(env_id) if known else None
    keys = BenchKeys.read(env_id, card.bench if card else {})
    groups = plan_groups(plan, env_id, keys)
    bench = _Bench(plan, env_id, keys)
    bench.total = sum(len(group.cases) + 1 for group in groups) * (plan.rounds + 1)
    for group in groups:
        yield from bench.group(group)


class _Bench:
    """The measuring of one environment: groups of cases to rows."""

    def __init__(self, plan: Plan, env_id: str, keys: BenchKeys) -> None:
        self.plan = plan
        self.env_id = env_id
        self.keys = keys
        self.total = 1
        self._done = 0
        self._seen: set[str] = set()

    def group(self, group: Group) -> Iterator[Row]:
        """Measure the cases of one group in interleaved rounds."""
        subjects: list[Subject] = []
        try:
            for case in group.cases:
                yield from self._build(case, subjects)
            for target in group.functions:
                yield from self._build_functions(target, group, subjects)
            figures = rounds(subjects, self.plan.seconds, self.plan.rounds, self._tick)
        finally:
            for subject in subjects:
                subject.close()
        measured = {str(s.case): f for s, f in zip(subjects, figures, strict=True)}
        yield from self._rows(group, measured)
        for goal in group.goals:
            yield from self._goal(goal, measured)

    def _tick(self, message: str) -> None:
        self._done += 1
        self.plan.progress(f"{self.env_id} {message}", min(self._done, self.total), self.total)

    def _build(self, case: Case, subjects: list[Subject]) -> Iterator[Row]:
        if case.threads > cores():
            yield self._row(case, skipped=f"needs {case.threads} cores, there are {cores()}")
            return
        self.plan.progress(f"{self.env_id} building {case}", self._done, self.total)
        try:
            subjects.append(build(case, self.env_id))
        # One subject may fail in any way; its row says so and the others are measured.
        except Exception as error:
            yield self._failed(case, error)

    def _build_functions(self, target: str, group: Group, subjects: list[Subject]) -> Iterator[Row]:
        case = replace(group.cases[0], path=target, id="", options={})
        self.plan.progress(f"{self.env_id} building {target}", self._done, self.total)
        try:
            offered = build_functions(target, case)
        # As above.
        except Exception as error:
            yield self._failed(case, error)
            return
        wanted = group.wanted
        subjects += [s for s in offered if wanted is None or str(s.case) in wanted]

    def _rows(self, group: Group, measured: dict[str, Figures]) -> Iterator[Row]:
        reference = str(group.reference) if group.reference else ""
        for name, figures in measured.items():
            if name in self._seen:
                continue
            self._seen.add(name)
            beside = reference if name != reference else ""
            yield self._figure(Case.parse(name), figures, "steps/s", beside, measured)
            if self._compiled(name, figures):
                seconds = figures.compile_seconds
                yield Row(SUITE, self.env_id, f"compile {name}", "s", seconds, seconds, seconds)

    def _compiled(self, name: str, figures: Figures) -> bool:
        own = name.split()[0] in ("make", "make_vec")
        return figures.compile_seconds > _COMPILED or (compiles(self.env_id) and own)

    def _goal(self, goal: Goal, measured: dict[str, Figures]) -> Iterator[Row]:
        ends = (str(goal.case), str(goal.over))
        if all(end in measured for end in ends):
            row = self._figure(goal.case, measured[ends[0]], goal.unit, ends[1], measured)
            yield replace(row, case=str(goal), goal=goal.at_least)
        else:
            absent = " and ".join(end for end in ends if end not in measured)
            yield Row(SUITE, self.env_id, str(goal), goal.unit, skipped=f"not measured: {absent}")

    def _figure(
        self, case: Case, figures: Figures, unit: str, beside: str, measured: dict[str, Figures]
    ) -> Row:
        median, low, high = quartiles(figures.of(unit))
        reference = measured[beside].median(unit) if beside in measured else None
        return Row(
            suite=SUITE,
            id=self.env_id,
            case=str(case),
            unit=unit,
            median=median,
            low=low,
            high=high,
            per_cpu_second=figures.median("steps/cpu-s"),
            reference=beside if reference is not None else "",
            reference_median=reference,
            ratio=better(unit, median, reference),
        )

    def _row(self, case: Case, *, error: str = "", skipped: str = "") -> Row:
        name = str(case)
        return Row(SUITE, self.env_id, name, "steps/s", error=error, skipped=skipped)

    def _failed(self, case: Case, error: Exception) -> Row:
        text = f"{type(error).__name__}: {error}"
        # A peer that is not installed is in order; the measured environment's own code is not.
        foreign = case.id not in ("", self.env_id) or case.path in self.keys.functions
        absent = isinstance(error, DependencyNotInstalled)
        lacking = isinstance(error, ImportError) and not isinstance(error, TargetError)
        if absent or (foreign and lacking):
            return self._row(case, skipped=text)
        return self._row(case, error=text)
