"""The rule on memory: steps and resets must not make the process grow."""

from __future__ import annotations

import gc
import itertools
import time
import tracemalloc
from pathlib import Path

from hub.conformance.outcome import Finding, Skipped
from hub.conformance.play import Probe, actions
from hub.conformance.session import SEED, Session

# Rounds that are measured, after one that warms up caches. A leak grows in every one of them;
# caches and the allocator's pools grow in some.
ROUNDS = 5
# Growth per round that counts: of Python's and NumPy's blocks, which are counted exactly, and of
# the resident memory, which the system counts in pages and the allocator takes in larger pieces.
TRACED_BYTES, RESIDENT_BYTES = 4_096, 128 * 1024
MAX_ROUND_STEPS = 20_000


def memory(session: Session) -> str:
    """Memory does not grow with steps and resets."""
    seconds = min(session.left(), 6.0) / (ROUNDS + 2)
    with session.open() as probe:
        given = actions(probe.env.action_space, SEED)
        probe.reset(seed=SEED)
        tracemalloc.start()
        try:
            steps = _round(session, probe, given, MAX_ROUND_STEPS, seconds)
            _round(session, probe, given, steps, seconds * 3)
            used = [_used()]
            for _ in range(ROUNDS):
                _round(session, probe, given, steps, seconds * 3)
                used.append(_used())
        finally:
            tracemalloc.stop()
    if steps < 10:
        raise Skipped(f"{steps} steps in its time: too few to tell")
    pairs = list(itertools.pairwise(used))
    for index, (name, least) in enumerate((("Python", TRACED_BYTES), ("process", RESIDENT_BYTES))):
        growth = [after[index] - before[index] for before, after in pairs]
        if min(growth) >= least:
            each = sum(growth) / len(growth) / steps
            text = (
                f"the memory of the {name} grows by about {each:,.0f} bytes a step, in each of "
                f"{ROUNDS} rounds of {steps} steps"
            )
            raise Finding(text, seed=SEED)
    return f"{ROUNDS} rounds of {steps} steps"


def _round(session: Session, probe: Probe, given: object, steps: int, seconds: float) -> int:
    """Play `steps` steps, episode after episode, or until the time is over; returns how many."""
    assert hasattr(given, "__next__")
    until = time.monotonic() + seconds
    for number in range(steps):
        if probe.done:
            probe.reset()
        probe.step(next(given))
        if time.monotonic() > until:
            session.require_time()
            return number + 1
    return steps


def _used() -> tuple[int, int]:
    """Return the bytes of traced blocks, and of the resident memory (0 where it is unknown)."""
    gc.collect()
    statm = Path("/proc/self/statm")
    resident = int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0
    return tracemalloc.get_traced_memory()[0], resident
