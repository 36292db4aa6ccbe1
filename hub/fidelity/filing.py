"""What a run may write over the certificate on file: evidence is replaced, never lost.

- A run on the sources of the certificate on file replaces the levels that it ran, whether they
  passed or failed, and keeps the others with their own dates. One that was skipped replaces
  nothing.
- A run on other sources replaces all of it, since the old evidence speaks of an engine that is
  gone; but not by less: it must reach the level that is on file, and have run the mutants if those
  are on file, or be told to (`hub verify --force`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hub.errors import CertificateError
from hub.fidelity.certificate import Certificate, read_certificate


def on_file(path: Path) -> Certificate | None:
    """The certificate on file; None where there is none that this hub can read."""
    try:
        return read_certificate(path)
    except CertificateError:
        return None


def same_sources(one: Certificate, other: Certificate) -> bool:
    """Whether both speak of the same engine and the same reference."""
    return (one.engine_hash, one.reference) == (other.engine_hash, other.reference)


def combined(found: Certificate, earlier: Certificate) -> Certificate:
    """What a run found, with what an earlier one of the same sources found beside it.

    Date, machine and version of the hub are of the run that showed the level reached.
    """
    levels = dict(earlier.levels)
    for number, level in found.levels.items():
        if level["state"] != "skipped" or levels.get(number, level)["state"] == "skipped":
            levels[number] = level
    reached = reached_level(levels)
    ran = found.levels.get(str(reached), {}).get("state") == "passed"
    shown = earlier if reached and not ran else found
    return replace(
        found,
        levels=dict(sorted(levels.items())),
        level=reached,
        mutants=found.mutants or earlier.mutants,
        date=shown.reached_on,
        machine=shown.machine,
        hub=shown.hub,
    )


def reached_level(levels: dict[str, Any]) -> int:
    """Highest level that passed with all below it; 0 for none."""
    reached = 0
    while levels.get(str(reached + 1), {}).get("state") == "passed":
        reached += 1
    return reached


def shortfall(earlier: Certificate, level: int, mutants: bool) -> str:
    """What is on file of other sources and would be lost to `level`; empty for nothing."""
    lost = [f"L{earlier.level}"] if level < earlier.level else []
    lost += ["the mutants' table"] if earlier.mutants and not mutants else []
    if not lost:
        return ""
    words = f"--level {max(earlier.level, level)}" + (" --mutants" if earlier.mutants else "")
    return (
        f"the certificate on file holds {' and '.join(lost)}, of other sources than these; it "
        f"stays as it is. Fix: run `{words}`, or --force to write less over it"
    )
