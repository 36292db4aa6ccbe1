"""Spaces that Gymnasium lacks: text in any script, of any shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Text

# What `sample` draws from: enough for a test to meet spaces, quotes, newlines and wide characters.
_SAMPLE = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 \n\t.,:;=<>(){}[]'\"\\/éßλЖ中🙂"


class UnicodeText(Text):
    """Any Python string of at most `max_length` code points that UTF-8 can encode.

    Gymnasium's `Text` holds to a listed charset and rejects spaces, newlines and the empty string
    by default (bug B17). This one is a `Text`, so that code which knows `Text` accepts it, but
    membership is decided by length and encodability alone.

    Args:
        max_length: Greatest length in code points.
        seed: Seed of `sample`.
    """

    def __init__(self, max_length: int = 1_000_000, seed: int | np.random.Generator | None = None):
        super().__init__(max_length, min_length=0, charset=_SAMPLE, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a short random string (0 to 64 code points); masks do not apply to text."""
        if mask is not None or probability is not None:
            raise ValueError("UnicodeText.sample takes no mask and no probability")
        length = int(self.np_random.integers(0, min(self.max_length, 64) + 1))
        return "".join(_SAMPLE[i] for i in self.np_random.integers(0, len(_SAMPLE), length))

    def contains(self, x: Any) -> bool:
        """Tell whether `x` is a string of legal length without lone surrogates."""
        return (
            isinstance(x, str)
            and len(x) <= self.max_length
            and not any(0xD800 <= ord(c) <= 0xDFFF for c in x)
        )

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Return the samples as JSON strings."""
        return list(sample_n)

    def from_jsonable(self, sample_n: Sequence[str]) -> list[str]:
        """Return what `to_jsonable` was given."""
        return list(sample_n)

    def __repr__(self) -> str:
        return f"UnicodeText(max_length={self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and self.max_length == other.max_length

    __hash__ = None  # type: ignore[assignment]  # equal spaces may differ later, as in Gymnasium
