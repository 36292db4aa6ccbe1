"""Spaces that Gymnasium lacks: text in any script, of any shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.vector.utils import shared_memory, space_utils
from numpy.typing import NDArray

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


class UnicodeTextBatch(gymnasium.Space[NDArray[np.object_]]):
    """`[num_envs]` object arrays of strings: the batch of a `UnicodeText` space.

    Args:
        single: The space of one lane.
        num_envs: Lanes.
        seed: Seed of `sample`.
    """

    def __init__(self, single: UnicodeText, num_envs: int, seed: int | None = None) -> None:
        self.single = single
        super().__init__((num_envs,), np.dtype(object), seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed size."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[np.object_]:
        """Return one random string per lane; masks do not apply to text."""
        self.single.seed(int(self.np_random.integers(2**31)))
        texts = [self.single.sample(mask, probability) for _ in range(self._shape_of()[0])]
        return np.array(texts, dtype=object)

    def contains(self, x: Any) -> bool:
        """Tell whether `x` is an object array (or list) with a legal string for each lane."""
        if not isinstance(x, np.ndarray | list | tuple) or len(x) != self._shape_of()[0]:
            return False
        return all(self.single.contains(text) for text in x)

    def to_jsonable(self, sample_n: Iterable[NDArray[np.object_]]) -> list[list[str]]:
        """Return the samples as lists of JSON strings."""
        return [list(sample) for sample in sample_n]

    def from_jsonable(self, sample_n: Iterable[list[str]]) -> list[NDArray[np.object_]]:
        """Return what `to_jsonable` was given."""
        return [np.array(sample, dtype=object) for sample in sample_n]

    def _shape_of(self) -> tuple[int, ...]:
        assert self.shape is not None
        return self.shape

    def __repr__(self) -> str:
        return f"UnicodeTextBatch({self.single}, {self._shape_of()[0]})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UnicodeTextBatch)
            and self.single == other.single
            and self.shape == other.shape
        )

    __hash__ = None  # type: ignore[assignment]  # as UnicodeText


@space_utils.batch_space.register(UnicodeText)
def _batch_space(space: UnicodeText, n: int = 1) -> UnicodeTextBatch:
    return UnicodeTextBatch(UnicodeText(space.max_length), n)


@space_utils.create_empty_array.register(UnicodeText)
def _create_empty_array(space: UnicodeText, n: int = 1, fn: Any = np.zeros) -> Any:
    return "" if n is None else np.full(n, "", dtype=object)


@space_utils.concatenate.register(UnicodeText)
def _concatenate(space: UnicodeText, items: Iterable[str], out: Any) -> NDArray[np.object_]:
    return np.array(list(items), dtype=object)


@space_utils.iterate.register(UnicodeTextBatch)
def _iterate(  # type: ignore[misc]  # mypy sees Gymnasium's `Space[_T]` unsolved
    space: UnicodeTextBatch, items: NDArray[np.object_]
) -> Iterator[str]:
    return iter(items)


@shared_memory.create_shared_memory.register(UnicodeText)
def _create_shared_memory(space: UnicodeText, n: int = 1, ctx: Any = None) -> Any:
    # Gymnasium's own Text writes into a fixed charset and fails late, in the worker (bug B17).
    raise CustomSpaceError(
        "UnicodeText has no fixed size and does not fit shared memory; "
        "pass shared_memory=False, or use the environment's own vector entry point"
    )
