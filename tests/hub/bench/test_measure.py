from __future__ import annotations

import time

from hub.bench import Case
from hub.bench.measure import cores, pin, rounds


class Sleeper:
    """A subject of one lane whose batch takes a known time; its first one much longer."""

    reset_seconds = 0.0

    def __init__(self, name: str, seconds: float, log: list[str], first: float = 0.0) -> None:
        self.case = Case(name)
        self._seconds, self._first, self._log = seconds, first, log

    def advance(self, batches: int) -> float:
        self._log.append(str(self.case))
        time.sleep(batches * self._seconds + self._first)
        self._first = 0.0
        return batches

    def prepare(self, seconds: float) -> None:
        self._log.append("prepare")

    def close(self) -> None:
        pass


def test_rounds_of_several_subjects_are_interleaved() -> None:
    log: list[str] = []
    subjects = [Sleeper("make", 0.01, log), Sleeper("sync", 0.01, log)]
    rounds(subjects, 0.01, 3, lambda _: None)
    names = [str(s.case) for s in subjects]
    assert log[-6:] == names * 3


def test_what_is_untimed_follows_the_first_batch_of_each_subject() -> None:
    log: list[str] = []
    rounds([Sleeper("make", 0.01, log)], 0.01, 1, lambda _: None)
    assert log[:2] == ["make", "prepare"]
    assert log.count("prepare") == 1


def test_compiling_is_apart_and_does_not_slow_the_rounds() -> None:
    figures = rounds([Sleeper("make", 0.002, [], first=0.3)], 0.02, 3, lambda _: None)[0]
    assert 0.25 < figures.compile_seconds < 0.6
    # The sleep alone bounds the rate from above; compiling would push it below a tenth of that.
    assert 50 < figures.median() <= 500


def test_a_pause_of_the_machine_does_not_shorten_the_rounds() -> None:
    taken: list[float] = []

    class Paused(Sleeper):
        def advance(self, batches: int) -> float:
            taken.append(batches)
            if len(taken) == 3:
                time.sleep(0.1)
            return super().advance(batches)

    rounds([Paused("make", 0.001, [])], 0.1, 2, lambda _: None)
    assert min(taken[-2:]) >= 25


def test_sleeping_costs_no_cpu_seconds() -> None:
    figures = rounds([Sleeper("make", 0.05, [])], 0.05, 3, lambda _: None)[0]
    assert figures.median("steps/cpu-s") > 2 * figures.median("steps/s")


def test_every_warm_up_and_round_is_announced() -> None:
    ticks: list[str] = []
    rounds([Sleeper("make", 0.001, []), Sleeper("sync", 0.001, [])], 0.002, 4, ticks.append)
    assert len(ticks) == 2 * (4 + 1)


def test_pinning_leaves_the_number_of_cores_known() -> None:
    before = cores()
    try:
        pin(1)
        assert cores() == before
    finally:
        pin(before)
