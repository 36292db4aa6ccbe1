"""Timing: interleaved rounds of things that can be stepped, per second and per CPU-second."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hub.bench.case import Case
from hub.bench.row import quartiles

# Windows shorter than this are not used to judge how many batches a round takes.
_TRUSTED = 0.25


class Subject(Protocol):
    """Something that can be stepped."""

    case: Case
    reset_seconds: float

    def advance(self, batches: int) -> float:
        """Step `batches` batches and return the environment steps, autoreset steps not counted."""

    def prepare(self, seconds: float) -> None:
        """Do, after the first batch and untimed, what `advance` needs; at most `seconds` long."""

    def close(self) -> None:
        """Free it."""


@dataclass(frozen=True)
class Figures:
    """What the rounds of one subject gave.

    Attributes:
        per_second: Environment steps per second of each round.
        per_cpu_second: Environment steps per CPU-second of each round, of the whole process.
        compile_seconds: Seconds that the first reset and the first batch took beyond a usual one.
    """

    per_second: Sequence[float]
    per_cpu_second: Sequence[float]
    compile_seconds: float

    def of(self, unit: str) -> Sequence[float]:
        """Return the values in `steps/s` or `steps/cpu-s`."""
        return self.per_cpu_second if unit == "steps/cpu-s" else self.per_second

    def median(self, unit: str = "steps/s") -> float:
        """Return the median in `unit`."""
        return quartiles(self.of(unit))[0]


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(_ALL) or os.cpu_count() or 1


def pin(count: int) -> None:
    """Keep the calling thread, and threads that it starts, on `count` cores (Linux only)."""
    if hasattr(os, "sched_setaffinity"):
        # The last ones: the system's own work is mostly on the first.
        os.sched_setaffinity(0, _ALL[-count:])


def rounds(
    subjects: Sequence[Subject], seconds: float, count: int, tick: Callable[[str], None]
) -> list[Figures]:
    """Measure `subjects` in interleaved rounds (A B A B...), so that they share the weather.

    Args:
        subjects: What to step.
        seconds: Length of one round; at least one batch is stepped.
        count: Timed rounds of each subject, after one warm-up that is not timed.
        tick: Called with the case before each warm-up and each round.
    """
    plans = []
    for subject in subjects:
        tick(str(subject.case))
        pin(subject.case.threads)
        plans.append(_calibrate(subject, seconds))
    samples: list[tuple[list[float], list[float]]] = [([], []) for _ in subjects]
    for _ in range(count):
        for subject, (batches, _), (wall, cpu) in zip(subjects, plans, samples, strict=True):
            tick(str(subject.case))
            pin(subject.case.threads)
            steps, taken, burnt = _time(subject, batches)
            wall.append(steps / taken)
            cpu.append(steps / burnt)
    return [
        Figures(wall, cpu, first) for (wall, cpu), (_, first) in zip(samples, plans, strict=True)
    ]


def _time(subject: Subject, batches: int) -> tuple[float, float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    steps = subject.advance(batches)
    taken = time.perf_counter() - wall
    # The CPU clock ticks more coarsely than a short batch lasts.
    return steps, taken, max(time.process_time() - cpu, 1e-6)


def _calibrate(subject: Subject, seconds: float) -> tuple[int, float]:
    """Return the batches of one round, and what starting cost beyond a usual batch."""
    first = _time(subject, 1)[1]
    subject.prepare(seconds)
    batches = 1
    # A pause of the machine would make a few batches look like a whole round: measure it again.
    while (taken := _time(subject, batches)[1]) < seconds * _TRUSTED or (
        taken := _time(subject, batches)[1]
    ) < seconds * _TRUSTED:
        batches *= 2
    usual = taken / batches
    return max(1, round(seconds / usual)), subject.reset_seconds + max(0.0, first - usual)


# Read once, before anything is pinned.
_ALL = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
