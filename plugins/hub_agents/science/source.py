"""Science problems by number, and rows of a user's own file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hub.dialogue import Task, numbered
from hub.errors import TaskError, UnknownOption
from hub_agents.answers import AnswerError, stated
from hub_agents.science.families import AREAS, FAMILIES
from hub_agents.science.units import read, unfit
from hub_agents.sources import SOLUTIONS, asked, check_fields, named, text_of

SIZE = 1_000_000  # problems of one split
SPLITS = ("train", "test")


class Problems:
    """A task source: problem i is of family i mod n, with quantities of its own.

    Args:
        split: `train` or `test`; they share no draw.
        seed: Chooses another endless set.
        areas: Which of `AREAS`; None takes them all.

    Raises:
        UnknownOption: A name that there is not.
    """

    def __init__(
        self, split: str = "train", seed: int = 0, areas: Sequence[str] | None = None
    ) -> None:
        chosen = list(AREAS if areas is None else areas)
        wrong = [area for area in chosen or [""] if area not in AREAS]
        if wrong:
            raise UnknownOption(f"area {wrong[0]!r}: expected one of {', '.join(AREAS)}")
        if split not in SPLITS:
            raise UnknownOption(f"split {split!r}: expected one of {', '.join(SPLITS)}")
        # Names: the formulas themselves cannot be pickled.
        self._families = [family.name for area in chosen for family in AREAS[area]]
        self._split, self._seed = split, seed

    def __len__(self) -> int:
        return SIZE

    def get(self, index: int) -> Task:
        """Return problem `index`."""
        if not 0 <= index < SIZE:
            raise IndexError(f"task {index}: the source has {SIZE}")
        family = FAMILIES[self._families[index % len(self._families)]]
        values = family.values(f"{self._split}/{self._seed}/{index}")
        data = {
            "answer": family.solve(**values),
            "unit": family.unit,
            "rtol": family.rtol,
            "family": family.name,
            "area": family.area,
        }
        return Task(self._id(index), family.question(values), data)

    def find(self, task_id: str) -> int | None:
        """Return the place of a problem, or None, without making any."""
        place = numbered(task_id, SIZE)
        return place if place is not None and self._id(place) == task_id else None

    def _id(self, index: int) -> str:
        name = FAMILIES[self._families[index % len(self._families)]].name
        return f"{name}-{self._split}-{self._seed}-{index}"


def science_row(row: Mapping[str, Any], where: str) -> Task:
    r"""Make a task of a row in one of these shapes.

    - One's own: `prompt` (or `problem`, `question`), `answer` (a number, or a text with a unit),
      `unit` where the answer does not have it, `rtol` (default 0.01), `id` and `split`; no other
      field.
    - SCP-116K: `problem`, and the one `\boxed` answer in `matched_solution` (its first edition),
      `extract_solution` (its second) or `solution`; rows whose answer is no value with a unit go to
      Math-v0 or are left out beforehand. Any other columns.

    Raises:
        TaskError: It is none of them; the message names the row and the field.
        MissingDependency: pint is absent.
    """
    check_fields(row, ("answer", "unit", "rtol"), where)
    value, unit = _answer(row, where)
    rtol = row.get("rtol", 0.01)
    if not isinstance(rtol, int | float) or isinstance(rtol, bool) or not 0 < rtol < 1:
        raise TaskError(f"{where}: rtol {rtol!r}: expected a number between 0 and 1")
    data = {"answer": value, "unit": unit, "rtol": float(rtol)}
    return Task(named(row, where), asked(row, where), data)


def _answer(row: Mapping[str, Any], where: str) -> tuple[float, str]:
    """Return the value and a unit that pint knows."""
    if row.get("answer") not in (None, ""):
        text = text_of(row, ("answer",), where)
    else:
        text = text_of(row, SOLUTIONS, where)
        if "\\boxed{" not in text:
            raise TaskError(f"{where}: no 'answer', and no boxed one in its solution")
    try:
        found = read(stated(text))
    except AnswerError as error:
        raise TaskError(f"{where}: its answer: {error}") from error
    if found is None:
        raise TaskError(f"{where}: answer {text[:80]!r}: expected a value with a unit")
    value, unit = found
    if apart := row.get("unit"):
        # Read as an answer's, so that LaTeX will do.
        pair = read(f"1 {apart}") if isinstance(apart, str) else None
        if pair is None or pair[0] != 1.0:
            raise TaskError(f"{where}: unit {apart!r:.80}: expected a unit, such as 'm/s^2'")
        if unit and unit != pair[1]:
            raise TaskError(f"{where}: unit {apart!r}: the answer {text[:80]!r} has another one")
        unit = pair[1]
    if why := unfit(unit):
        raise TaskError(f"{where}: answer {text[:80]!r}: {why}")
    return value, unit
