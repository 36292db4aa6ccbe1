"""Returned objects that are kept beside a copy, to notice that they change later."""

from __future__ import annotations

from typing import Any

from hub.conformance.outcome import Finding
from hub.conformance.session import SEED
from hub.conformance.snapshot import Snapshot, difference, snapshot


class Kept:
    """What an environment returned, each with its snapshot of that moment."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, str, Any, Snapshot]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def keep(self, step: int, **returned: Any) -> None:
        """Keep the objects that `step` returned, by field."""
        for name, value in returned.items():
            self._entries.append((step, name, value, snapshot(value, name)))

    def look(self, moment: str) -> None:
        """Raise a finding if something is no longer what it was; `moment` says when."""
        for step, name, value, before in self._entries:
            found = difference(before, snapshot(value, name))
            if found:
                text = f"{name} of this step changed at {moment}: {found[1]}"
                raise Finding(text, step, found[0], SEED)


def require_unchanged(before: Snapshot, action: Any, step: int) -> None:
    """Raise a finding if the caller's action is no longer as in the snapshot `before`."""
    found = difference(before, snapshot(action, "action"))
    if found:
        raise Finding("step changes the caller's action", step, found[0], SEED)
