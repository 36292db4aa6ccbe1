"""L3 for continuous dynamics: single steps from the reference's states, then short free runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hub.fidelity.actions import ActionSource
from hub.fidelity.declaration import Declaration
from hub.fidelity.plans import Env, Floats, TeacherForced
from hub.fidelity.rollouts import Progress


@dataclass(frozen=True)
class WorstStep:
    """Where the largest error was, with all that reproduces it.

    Attributes:
        source: Name of the action source.
        seed: The reference was reset with it.
        step: Index of the step (of the first step, for a free run).
        state: The reference's state before it.
        actions: The actions from that state on: one, or `free_steps` for a free run.
        error: The error.
    """

    source: str
    seed: int
    step: int
    state: list[float]
    actions: list[list[float]]
    error: float


@dataclass(frozen=True)
class ForcedReport:
    """Result of a teacher-forced comparison.

    Attributes:
        passed: Both largest errors are within their tolerances.
        states: Single steps compared.
        max_error: Largest error of one step; `worst` says where.
        quantiles: Errors at 50, 99 and 99.9 %.
        tolerance: The plan's.
        free_runs: Free runs compared, each of `free_steps` steps.
        free_steps: The plan's.
        free_max_error: Largest error at their end; `free_worst` says where.
        free_tolerance: The plan's.
        seed: Episode `i` had seed `seed + i`.
        sources: Names of the action sources.
        worst: The step of the largest error.
        free_worst: The free run of the largest error.
    """

    passed: bool
    states: int
    max_error: float
    quantiles: tuple[float, ...]
    tolerance: float
    free_runs: int
    free_steps: int
    free_max_error: float
    free_tolerance: float
    seed: int
    sources: tuple[str, ...]
    worst: WorstStep
    free_worst: WorstStep


@dataclass
class _Record:
    """Steps of the reference, all episodes one after another.

    `where` holds (source, seed, step) of each row; `states` has no row for the state after the
    last step of an episode, so that free runs end at least one step before it.
    """

    states: list[Floats] = field(default_factory=list)
    actions: list[Floats] = field(default_factory=list)
    results: list[Floats] = field(default_factory=list)
    where: list[tuple[str, int, int]] = field(default_factory=list)


def run_forced(
    declaration: Declaration,
    plan: TeacherForced,
    sample: float = 1.0,
    progress: Progress | None = None,
) -> ForcedReport:
    """Compare at least `plan.states * sample` single steps, and free runs within them."""
    total = max(plan.free_steps + 1, math.ceil(plan.states * sample))
    record = _record(declaration.reference.make(), plan, total, progress)
    states, actions = np.stack(record.states), np.stack(record.actions)
    _, results = _in_batches(plan, states, actions, progress)
    errors = _errors(plan, np.stack(record.results), results)
    starts, ends = _free_windows(record, plan.free_steps)
    reached = states[starts]
    for k in range(plan.free_steps):
        reached, _ = _in_batches(plan, reached, actions[starts + k], None)
    free = _errors(plan, states[ends], reached)
    worst, free_worst = int(errors.argmax()), int(free.argmax())
    return ForcedReport(
        passed=bool(errors.max() <= plan.tolerance and free.max() <= plan.free_tolerance),
        states=len(states),
        max_error=float(errors.max()),
        quantiles=tuple(float(q) for q in np.quantile(errors, (0.5, 0.99, 0.999))),
        tolerance=plan.tolerance,
        free_runs=len(starts),
        free_steps=plan.free_steps,
        free_max_error=float(free.max()),
        free_tolerance=plan.free_tolerance,
        seed=plan.seed,
        sources=tuple(source.name for source in plan.actions),
        worst=_worst(record, worst, 1, float(errors[worst])),
        free_worst=_worst(record, int(starts[free_worst]), plan.free_steps, float(free.max())),
    )


def _record(env: Env, plan: TeacherForced, total: int, progress: Progress | None) -> _Record:
    record = _Record()
    share = math.ceil(total / len(plan.actions))
    seed = plan.seed
    try:
        for number, source in enumerate(plan.actions, start=1):
            while len(record.states) < number * share:
                _episode(env, plan, source, seed, number * share, record)
                seed += 1
                if progress:
                    progress("reference steps", len(record.states), share * len(plan.actions))
    finally:
        env.close()
    return record


def _episode(
    env: Env, plan: TeacherForced, source: ActionSource, seed: int, limit: int, record: _Record
) -> None:
    env.reset(seed=seed)
    act = source.start(env.action_space, np.random.default_rng([plan.seed, seed]))
    # An episode always has room for one free run, whatever is left of the share.
    steps = min(plan.steps_per_episode, max(limit - len(record.states), plan.free_steps + 1))
    for step in range(steps):
        state = np.array(plan.read_state(env), np.float64)
        action = act(state)
        result, done = plan.reference_step(env, action)
        record.states.append(state)
        record.actions.append(np.array(action, np.float64))
        record.results.append(np.array(result, np.float64))
        record.where.append((source.name, seed, step))
        if done:
            return


def _in_batches(
    plan: TeacherForced, states: Floats, actions: Floats, progress: Progress | None
) -> tuple[Floats, Floats]:
    """Hand the rows to the engine, always `plan.batch` at once, the last batch padded."""
    next_states, results = [], []
    for start in range(0, len(states), plan.batch):
        rows = np.minimum(np.arange(start, start + plan.batch), len(states) - 1)
        reached, result = plan.engine_step(states[rows], actions[rows])
        kept = min(plan.batch, len(states) - start)
        next_states.append(np.asarray(reached, np.float64)[:kept])
        results.append(np.asarray(result, np.float64)[:kept])
        if progress:
            progress("engine steps", start + kept, len(states))
    return np.concatenate(next_states), np.concatenate(results)


def _errors(plan: TeacherForced, expected: Floats, actual: Floats) -> Floats:
    errors = np.asarray(plan.error(expected, actual), np.float64)
    return np.where(np.isnan(errors), np.inf, errors)


def _free_windows(record: _Record, length: int) -> tuple[np.ndarray[Any, Any], ...]:
    """Rows where disjoint free runs start, and the rows of the states where they end."""
    steps = np.array([step for _, _, step in record.where])
    seeds = np.array([seed for _, seed, _ in record.where])
    starts = np.flatnonzero(steps % length == 0)
    starts = starts[starts + length < len(steps)]
    starts = starts[seeds[starts + length] == seeds[starts]]
    return starts, starts + length


def _worst(record: _Record, row: int, count: int, error: float) -> WorstStep:
    source, seed, step = record.where[row]
    actions = [action.tolist() for action in record.actions[row : row + count]]
    return WorstStep(source, seed, step, record.states[row].tolist(), actions, error)
