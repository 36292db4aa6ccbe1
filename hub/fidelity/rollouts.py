"""L3 for discrete rules: the engine and the reference, step by step, with equal seeds and actions.

Every lane always plays an episode; when one ends, the lane is reset alone, with the next
episode's seed. Episodes past the planned number are compared too as far as they get.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from hub.fidelity.actions import Act
from hub.fidelity.declaration import Declaration
from hub.fidelity.plans import Array, Env, Exact
from hub.fidelity.steps import Gap, Near, Same, equal, first_gap

Progress: TypeAlias = Callable[[str, int, int], None]
"""`(what, done, total)`, called as work goes on."""


@dataclass(frozen=True)
class Difference:
    """The first difference of a rollout, with all that replays it.

    Attributes:
        episode: Number of the episode.
        seed: Both sides were reset with it.
        source: Name of the action source.
        step: 0 for the observation of `reset`, k for the outcome of the k-th action.
        field: Which value differs.
        expected: The reference's.
        actual: The engine's.
        actions: Every action of the episode up to this step (JSON values).
        options: Of the environment, on both sides.
    """

    episode: int
    seed: int
    source: str
    step: int
    field: str
    expected: Any
    actual: Any
    actions: list[Any]
    options: dict[str, Any]

    def sentence(self, other: str = "the reference") -> str:
        """Return where it is and both values, in a line; `other` is whom the engine stands by."""
        options = f", {self.options}" if self.options else ""
        return (
            f"episode {self.episode} (seed {self.seed}, {self.source}{options}), step {self.step}: "
            f"{self.field} is {self.actual!r}, {other} has {self.expected!r}"
        )


@dataclass(frozen=True)
class Terms:
    """How observations are compared; reward and flags are always compared exactly.

    Attributes:
        tolerance: Largest difference of an observed float that counts as none.
        last_observation: Whether that of an episode's last step is compared.
    """

    tolerance: float = 0.0
    last_observation: bool = True


EXACTLY = Terms()


@dataclass(frozen=True)
class _Judge:
    """The terms at work: `same` compares observations, those of last steps only with `last`."""

    same: Same = equal
    last: bool = True


@dataclass(frozen=True)
class ExactReport:
    """Result of an exact rollout comparison.

    Attributes:
        passed: No difference in any step.
        episodes: Episodes compared to their end, over all variants.
        steps: Steps compared.
        seed: Episode `i` of each variant had seed `seed + i`.
        sources: Names of the action sources.
        variants: The plan's options of the environment, as far as they were compared.
        difference: The first difference found, or None.
        tolerance: Of the terms.
        max_error: Largest difference of an observed float within it.
    """

    passed: bool
    episodes: int
    steps: int
    seed: int
    sources: tuple[str, ...]
    variants: tuple[dict[str, Any], ...]
    difference: Difference | None
    tolerance: float = 0.0
    max_error: float = 0.0


@dataclass
class _Lane:
    """One episode under way."""

    env: Env
    episode: int = -1
    act: Act = lambda observation: None
    observation: Any = None
    actions: list[Any] = field(default_factory=list)
    over: bool = True


def run_exact(
    declaration: Declaration,
    plan: Exact,
    sample: float = 1.0,
    progress: Progress | None = None,
    terms: Terms = EXACTLY,
) -> ExactReport:
    """Compare `plan.episodes * sample` episodes a variant or more, up to the first difference."""
    total = max(1, math.ceil(plan.episodes * sample))
    reports: list[ExactReport] = []
    for options in map(dict, plan.variants):
        reports.append(_run_variant(declaration, plan, options, total, progress, terms))
        if not reports[-1].passed:
            break
    return replace(
        reports[-1],
        episodes=sum(report.episodes for report in reports),
        steps=sum(report.steps for report in reports),
        variants=tuple(options for report in reports for options in report.variants),
        max_error=max(report.max_error for report in reports),
    )


def _run_variant(
    declaration: Declaration,
    plan: Exact,
    options: dict[str, Any],
    total: int,
    progress: Progress | None,
    terms: Terms,
) -> ExactReport:
    count = min(plan.lanes, total)
    engine = declaration.engine(count, **options)
    lanes = [_Lane(declaration.reference.make(**options)) for _ in range(count)]
    report = ExactReport(
        True, 0, 0, plan.seed, _names(plan), (options,), None, tolerance=terms.tolerance
    )
    near = Near(terms.tolerance)
    judge = _Judge(near if terms.tolerance else equal, terms.last_observation)
    try:
        found = _compare(engine, lanes, plan, total, report, progress, judge)
        return replace(found, max_error=near.largest)
    finally:
        engine.close()
        for lane in lanes:
            lane.env.close()


def _names(plan: Exact) -> tuple[str, ...]:
    return tuple(source.name for source in plan.actions)


def replay(
    declaration: Declaration,
    seed: int,
    actions: Sequence[Any],
    *,
    terms: Terms = EXACTLY,
    **options: Any,
) -> Difference | None:
    """Play one action history on both sides, in one lane.

    Args:
        declaration: The translation's.
        seed: `Difference.seed`.
        actions: `Difference.actions`.
        terms: How observations were compared.
        **options: `Difference.options`.

    Returns:
        The difference, or None when there is none in a lane on its own (then it depends on
        other lanes or on earlier episodes).
    """
    engine = declaration.engine(1, **options)
    lane = _Lane(declaration.reference.make(**options))
    same: Same = Near(terms.tolerance) if terms.tolerance else equal
    judge = _Judge(same, terms.last_observation)
    try:
        space = lane.env.action_space
        history = iter([space.from_jsonable([action])[0] for action in actions])
        lane.act = lambda observation: next(history)
        gap = _start(engine, [lane], {0: seed}, judge)[0]
        for _ in range(len(actions)):
            if gap or lane.over:
                break
            gap = _step(engine, [lane], judge)[0]
        return _difference(lane, gap, seed, "replay", options) if gap else None
    finally:
        engine.close()
        lane.env.close()


def _compare(
    engine: Any,
    lanes: list[_Lane],
    plan: Exact,
    total: int,
    blank: ExactReport,
    progress: Progress | None,
    judge: _Judge,
) -> ExactReport:
    started = finished = steps = 0
    names = blank.sources
    while True:
        over = [i for i, lane in enumerate(lanes) if lane.over]
        for i in over:
            finished += 0 <= lanes[i].episode < total
            _assign(lanes[i], started, plan)
            started += 1
        if over and progress:
            progress("episodes", min(finished, total), total)
        if finished >= total:
            return replace(blank, episodes=finished, steps=steps)
        if over:
            gaps = _start(engine, lanes, {i: plan.seed + lanes[i].episode for i in over}, judge)
        else:
            gaps = _step(engine, lanes, judge)
            steps += len(lanes)
        for lane, gap in zip(lanes, gaps, strict=True):
            if gap:
                seed, source = plan.seed + lane.episode, names[lane.episode % len(names)]
                found = _difference(lane, gap, seed, source, blank.variants[0])
                return replace(
                    blank, passed=False, episodes=finished, steps=steps, difference=found
                )
            lane.over = lane.over or len(lane.actions) >= plan.max_steps


def _assign(lane: _Lane, episode: int, plan: Exact) -> None:
    source = plan.actions[episode % len(plan.actions)]
    rng = np.random.default_rng([plan.seed, episode])
    lane.episode, lane.act = episode, source.start(lane.env.action_space, rng)


def _start(
    engine: Any, lanes: list[_Lane], seeds: dict[int, int], judge: _Judge
) -> list[Gap | None]:
    mask = np.array([i in seeds for i in range(len(lanes))])
    options = None if mask.all() else {"reset_mask": mask}
    batch, _ = engine.reset(seed=[seeds.get(i) for i in range(len(lanes))], options=options)
    for i, seed in seeds.items():
        lanes[i].observation, _ = lanes[i].env.reset(seed=seed)
        lanes[i].actions, lanes[i].over = [], False
    # What `reset` hands back for the lanes that went on is the engine's own business.
    gaps = _gaps(engine, lanes, batch, {}, judge)
    return [gap if i in seeds else None for i, gap in enumerate(gaps)]


def _step(engine: Any, lanes: list[_Lane], judge: _Judge) -> list[Gap | None]:
    space = engine.single_action_space
    actions = [lane.act(lane.observation) for lane in lanes]
    batch: Any = create_empty_array(space, len(lanes))
    batch = concatenate(space, actions, batch)
    observations, rewards, terminated, truncated, _ = engine.step(batch)
    outcomes: list[tuple[Any, ...]] = []
    for lane, action in zip(lanes, actions, strict=True):
        lane.observation, *outcome, _ = lane.env.step(action)
        lane.actions.append(action)
        lane.over = bool(outcome[1] or outcome[2])
        outcomes.append(tuple(outcome))
    names = ("reward", "terminated", "truncated")
    got = (rewards, terminated, truncated)
    columns = zip(names, zip(*outcomes, strict=True), got, strict=True)
    scalars = {n: (want, have) for n, want, have in columns}
    return _gaps(engine, lanes, observations, scalars, judge)


def _gaps(
    engine: Any,
    lanes: list[_Lane],
    batch: Any,
    scalars: dict[str, tuple[Any, Any]],
    judge: _Judge,
) -> list[Gap | None]:
    """First gap of every lane; whole batches are compared before single lanes are looked at."""
    space = engine.single_observation_space
    plain = isinstance(space, gymnasium.spaces.Box | gymnasium.spaces.Discrete)
    shown = [i for i, lane in enumerate(lanes) if judge.last or not lane.over]
    want = [lanes[i].observation for i in shown]
    same = plain and _same_batch(want, batch if len(shown) == len(lanes) else batch[shown], judge)
    if same and all(equal(want, got).all() for want, got in scalars.values()):
        return [None] * len(lanes)
    singles = list(iterate(engine.observation_space, batch))
    gaps: list[Gap | None] = [None] * len(lanes)
    for i in shown:
        gaps[i] = first_gap("observation", lanes[i].observation, singles[i], judge.same)
    for name, (want, got) in scalars.items():
        gaps = [gap or first_gap(name, want[i], got[i]) for i, gap in enumerate(gaps)]
    return gaps


def _same_batch(observations: list[Any], batch: Array, judge: _Judge) -> bool:
    want = np.asarray(observations)
    return not len(batch) or (want.shape == batch.shape and bool(judge.same(want, batch).all()))


def _difference(
    lane: _Lane, gap: Gap, seed: int, source: str, options: dict[str, Any]
) -> Difference:
    actions = list(lane.env.action_space.to_jsonable(lane.actions))
    return Difference(
        episode=lane.episode,
        seed=seed,
        source=source,
        step=len(lane.actions),
        field=gap.field,
        expected=gap.expected,
        actual=gap.actual,
        actions=[a.item() if isinstance(a, np.generic) else a for a in actions],
        options=options,
    )
