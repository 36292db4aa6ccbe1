"""Budgets of an episode and the one deadline that every layer below is handed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from hub.errors import UnknownOption


@dataclass(frozen=True)
class Budget:
    """What one episode may use; whichever runs out first truncates it and is named.

    Attributes:
        turns: Model turns.
        tokens: Token ids of the whole sequence, prompt and tool output included; counts only when
            a tokenizer is bound or actions carry their ids. None: no limit.
        seconds: Wall time from the end of `reset`; model and tools together.
        output: Code points of all that the tools put out, before it is shortened. None: no limit.
        command_output: Code points of one tool's output that the model is shown.
        command_seconds: Longest single command.
    """

    turns: int = 30
    tokens: int | None = None
    seconds: float = 1800.0
    output: int | None = 4_000_000
    command_output: int = 16_000
    command_seconds: float = 120.0

    def __post_init__(self) -> None:
        for name in ("turns", "command_output", "tokens", "output"):
            value = getattr(self, name)
            if value is None and name in ("tokens", "output"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"budget {name}={value!r}: expected a whole number, 1 or more")
        for name in ("seconds", "command_seconds"):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 < value < 1e9:
                raise ValueError(f"budget {name}={value!r}: expected seconds, above 0")

    @classmethod
    def of(cls, given: Budget | Mapping[str, Any] | None, **defaults: Any) -> Budget:
        """Make a budget of JSON values.

        Args:
            given: Fields by name, a budget, which stands as it is, or None.
            **defaults: Fields that `given` does not name.

        Raises:
            UnknownOption: There is no such field; the message lists them.
            ValueError: A value is out of range.
        """
        if isinstance(given, Budget):
            return given
        named = known_fields(cls, "budget", {} if given is None else given)
        return cls(**{**defaults, **named})


def known_fields(kind: type, what: str, given: Any) -> dict[str, Any]:
    """Return `given` as keyword arguments of the dataclass `kind`.

    Raises:
        UnknownOption: It is no mapping, or names a field that `kind` does not have.
    """
    known = [f.name for f in fields(kind)]
    if not isinstance(given, Mapping):
        raise UnknownOption(f"{what} {given!r}: expected a mapping with {', '.join(known)}")
    unknown = sorted(map(str, set(given) - set(known)))
    if unknown:
        raise UnknownOption(f"{what} has no {unknown[0]!r}; its fields: {', '.join(known)}")
    return dict(given)


class Deadline:
    """A point in time, handed down so that no layer invents a limit of its own."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left, 0 or more."""
        return max(0.0, self._end - time.monotonic())

    def passed(self) -> bool:
        """Tell whether it lies in the past."""
        return self.left() == 0.0


def shorten(text: str, limit: int) -> str:
    """Return `text` with its middle cut out, said so, where it is longer than `limit`.

    Lone surrogates, which no encoding can carry, become question marks.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= limit:
        return text
    head, tail = (limit + 1) // 2, limit // 2
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out ...]\n{text[len(text) - tail :]}"
