"""What a conformance run says: one `Check` per rule, in a `Report` that JSON can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

SCHEMA = "hub.check/1"

Status = Literal["pass", "fail", "skip"]


OUT_OF_TIME = "out of time"


@dataclass(frozen=True)
class Check:
    """The outcome of one rule.

    Attributes:
        name: The rule's name, as in `hub.conformance.RULES`.
        status: `pass`, `fail`, or `skip` (the message says why it could not or need not run).
        message: What was found, or what was looked at.
        step: First offending step within its episode; 0 is the reset. None when no step is meant.
        field: What differs, as a path: `observation['image'][3]`, `reward`, `info['score']`.
        seed: The seed given to `reset` that shows it again.
    """

    name: str
    status: Status
    message: str
    step: int | None = None
    field: str | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Report:
    """All outcomes of one environment, in the order of the rules.

    Attributes:
        id: The environment's id, with its prefix.
        status: `fail` when a check failed, `skip` when none could run, else `pass`.
        checks: One entry per rule.
    """

    id: str
    status: Status
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, env_id: str, checks: tuple[Check, ...]) -> Report:
        """Make the report of `checks`, deriving the status."""
        seen = {check.status for check in checks}
        status: Status = "fail" if "fail" in seen else "pass" if "pass" in seen else "skip"
        return cls(env_id, status, checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.status == "fail")

    @property
    def unreached(self) -> tuple[str, ...]:
        """Names of the rules that the time did not reach: nothing is known of them."""
        return tuple(c.name for c in self.checks if c.message.startswith(OUT_OF_TIME))

    def check(self, name: str) -> Check:
        """Return the outcome of the rule `name`; raises `KeyError` if there is no such rule."""
        return {check.name: check for check in self.checks}[name]

    def to_json(self) -> dict[str, Any]:
        """Return `{id, status, checks: [{name, status, message, step, field, seed}]}`."""
        return {"id": self.id, "status": self.status, "checks": [asdict(c) for c in self.checks]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Report:
        """Make a report of what `to_json` returned."""
        return cls(data["id"], data["status"], tuple(Check(**c) for c in data["checks"]))

    def __str__(self) -> str:
        lines = [f"{self.id}: {self.status}"]
        if self.unreached:
            lines[0] += f", {len(self.unreached)} rules not reached in time"
        lines += [f"  {c.name}: {c.message}{where(c)}" for c in self.failures]
        return "\n".join(lines)


def where(check: Check) -> str:
    """Return `" (step 3, reward, seed 7)"`, or nothing when the check names no place."""
    parts = [
        f"step {check.step}" if check.step is not None else "",
        check.field or "",
        f"seed {check.seed}" if check.seed is not None else "",
    ]
    text = ", ".join(part for part in parts if part)
    return f" ({text})" if text else ""
