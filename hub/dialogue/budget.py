"""Budgets of an episode and the one deadline that every layer below is handed."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """What one episode may use; whichever runs out first truncates it and is named.

    Attributes:
        turns: Model turns.
        tokens: Token ids of the whole sequence, prompt and tool output included; counts only when
            a tokenizer is bound or actions carry their ids. None: no limit.
        seconds: Wall time from the end of `reset`; model and tools together.
        output: Code points of one tool's output that the model is shown.
        command_seconds: Longest single command.
    """

    turns: int = 30
    tokens: int | None = None
    seconds: float = 1800.0
    output: int = 16_000
    command_seconds: float = 120.0

    def __post_init__(self) -> None:
        for name in ("turns", "output"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"budget {name}={value!r}: expected a whole number, 1 or more")
        if self.tokens is not None and (not isinstance(self.tokens, int) or self.tokens < 1):
            raise ValueError(
                f"budget tokens={self.tokens!r}: expected a whole number of token ids or None"
            )
        for name in ("seconds", "command_seconds"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 < value < 1e9:
                raise ValueError(f"budget {name}={value!r}: expected seconds, above 0")


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
    """Return `text` with its middle cut out, said so, where it is longer than `limit`."""
    if len(text) <= limit:
        return text
    head, tail = (limit + 1) // 2, limit // 2
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out ...]\n{text[len(text) - tail :]}"
