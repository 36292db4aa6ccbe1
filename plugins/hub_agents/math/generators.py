"""Problems made by reasoning-gym's generators: which ones, and what each difficulty means.

Only generators whose answer is one number or one polynomial, which math-verify compares, and that
make the same problem of the same seed in every process (reasoning-gym's products of polynomials
follow Python's hash seed). The ranges of a difficulty are our own; options are reasoning-gym's.
"""

from __future__ import annotations

import random
import threading
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hub.dialogue import Task, numbered
from hub.errors import MissingDependency, UnknownOption

DIFFICULTIES = ("easy", "medium", "hard")
SPLITS = ("train", "test")
SIZE = 1_000_000  # tasks of one split
# Options and their values at easy, medium and hard.
_TABLE: dict[str, dict[str, tuple[Any, Any, Any]]] = {
    "chain_sum": {"min_terms": (2, 4, 8), "max_terms": (3, 7, 12),
                  "min_digits": (1, 2, 5), "max_digits": (2, 4, 9)},
    "basic_arithmetic": {"min_terms": (2, 4, 7), "max_terms": (3, 6, 10),
                         "min_digits": (1, 1, 2), "max_digits": (1, 2, 4)},
    "products": {"min_terms": (2, 2, 3), "max_terms": (2, 3, 4),
                 "min_digits": (1, 2, 4), "max_digits": (2, 4, 7)},
    "decimal_chain_sum": {"min_terms": (2, 4, 6), "max_terms": (3, 6, 10),
                          "min_digits": (1, 1, 2), "max_digits": (1, 3, 5)},
    "gcd": {"min_numbers": (2, 2, 3), "max_numbers": (2, 3, 4),
            "max_value": (100, 10_000, 10_000_000)},
    "lcm": {"min_numbers": (2, 2, 3), "max_numbers": (2, 3, 4), "max_value": (30, 300, 5000)},
    "count_bits": {"max_n": (1000, 10**6, 2**31 - 1)},
    "dice": {"num_dice": (2, 3, 5), "max_dice_size": (6, 12, 20)},
    "leg_counting": {"min_animals": (2, 4, 8), "max_animals": (4, 8, 16)},
    "simple_equations": {"min_terms": (2, 3, 4), "max_terms": (2, 4, 6),
                         "max_value": (20, 100, 1000)},
    "simple_geometry": {"min_sides": (3, 4, 7), "max_sides": (4, 6, 12)},
    "simple_integration": {"min_terms": (1, 2, 4), "max_terms": (2, 4, 6)},
}  # fmt: skip
_EXPANDED = ("simple_integration",)
GENERATORS = tuple(_TABLE)
_global_stream = threading.Lock()


class Generated:
    """A task source: problem i comes from generator i mod n, with a seed of its own.

    Splits and seeds have ranges of generator seeds to themselves, so no problem of one is drawn
    for another by the same number (small problems can still be equal by chance).

    Args:
        split: `train` or `test`.
        seed: Chooses another endless set; 0 to 999.
        difficulty: `easy`, `medium` or `hard`.
        generators: Which ones; None takes all of `GENERATORS`.

    Raises:
        UnknownOption: A name that there is not.
        MissingDependency: reasoning-gym is absent.
    """

    def __init__(
        self,
        split: str = "train",
        seed: int = 0,
        difficulty: str = "medium",
        generators: Sequence[str] | None = None,
    ) -> None:
        names = tuple(GENERATORS if generators is None else generators)
        for what, given, known in (
            ("split", [split], SPLITS),
            ("difficulty", [difficulty], DIFFICULTIES),
            ("generators", names or [""], GENERATORS),
        ):
            wrong = [name for name in given if name not in known]
            if wrong:
                raise UnknownOption(f"{what} {wrong[0]!r}: expected one of {', '.join(known)}")
        if not 0 <= seed < 1000:
            raise UnknownOption(f"seed {seed}: expected 0 to 999")
        _library()
        self._names, self._split, self._seed, self._difficulty = names, split, seed, difficulty

    def __len__(self) -> int:
        return SIZE

    def get(self, index: int) -> Task:
        """Return problem `index`."""
        if not 0 <= index < SIZE:
            raise IndexError(f"task {index}: the source has {SIZE}")
        name = self._names[index % len(self._names)]
        place = (self._seed * len(SPLITS) + SPLITS.index(self._split)) * SIZE + index
        entry = _entry(name, self._difficulty, place)
        form = "expanded" if name in _EXPANDED else "number"
        data = {
            "answer": str(entry["answer"]),
            "form": form,
            "generator": name,
            "difficulty": self._difficulty,
        }
        return Task(self._id(index), str(entry["question"]).strip(), data)

    def find(self, task_id: str) -> int | None:
        """Return the place of a problem, or None, without making any."""
        place = numbered(task_id, SIZE)
        return place if place is not None and self._id(place) == task_id else None

    def _id(self, index: int) -> str:
        name = self._names[index % len(self._names)]
        return f"{name}-{self._difficulty}-{self._split}-{self._seed}-{index}"


def _entry(name: str, difficulty: str, seed: int) -> Mapping[str, Any]:
    level = DIFFICULTIES.index(difficulty)
    options = {option: values[level] for option, values in _TABLE[name].items()}
    # A generator may draw from the global stream too: it is set, and put back.
    with _global_stream:
        state = random.getstate()
        random.seed(seed)
        try:
            dataset = _library().create_dataset(name, size=1, seed=seed, **options)
            entry: Mapping[str, Any] = dataset[0]
        finally:
            random.setstate(state)
            _forget()
    return entry


def _forget() -> None:
    """Empty sympy's caches: they hold every symbol and sum of every problem ever made."""
    from sympy.core.cache import clear_cache

    clear_cache()


@lru_cache(maxsize=1)
def _library() -> Any:
    with warnings.catch_warnings():
        # Modules that it imports warn while they are compiled.
        warnings.simplefilter("ignore")
        try:
            import reasoning_gym
        except ImportError as error:
            raise MissingDependency(
                f"Math-v0 needs reasoning-gym ({error}). Fix: pip install reasoning-gym"
            ) from error
    return reasoning_gym
