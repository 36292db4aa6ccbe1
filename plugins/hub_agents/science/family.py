"""A family of problems: a text with quantities to draw, and the formula that answers it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

DIGITS = 3  # significant digits of a drawn value


@dataclass(frozen=True)
class Draw:
    """One quantity that a problem gives.

    Attributes:
        low: Smallest value; and `high`.
        unit: Unit in which it is told, as pint reads it; empty for a pure number.
        whole: It is a whole number.
    """

    low: float
    high: float
    unit: str = ""
    whole: bool = False

    def value(self, source: random.Random) -> float:
        """Draw a value, rounded to what the problem will tell."""
        if self.whole:
            return float(source.randint(int(self.low), int(self.high)))
        return float(f"{source.uniform(self.low, self.high):.{DIGITS}g}")

    def told(self, value: float) -> str:
        """Return the value as a problem tells it."""
        number = f"{value:.0f}" if self.whole else f"{value:.{DIGITS}g}"
        return f"{number} {self.unit}".rstrip()


@dataclass(frozen=True)
class Family:
    """Problems of one kind.

    Attributes:
        name: Unique.
        area: `mechanics`, `thermodynamics`, `chemistry`, `circuits`, `statistics` or `numerics`.
        text: The question; `{name}` stands for a drawn quantity with its unit.
        draws: Quantity -> what is drawn.
        solve: The answer from the drawn numbers (keyword arguments, in the units told).
        unit: Unit of what `solve` returns; empty for a pure number.
        rtol: Relative tolerance of an answer.
    """

    name: str
    area: str
    text: str
    draws: Mapping[str, Draw]
    solve: Callable[..., float]
    unit: str = ""
    rtol: float = 0.01

    def values(self, seed: str) -> dict[str, float]:
        """Draw the quantities of the problem that `seed` names; the same in every process."""
        source = random.Random(f"{self.name}/{seed}")
        return {name: draw.value(source) for name, draw in self.draws.items()}

    def question(self, values: Mapping[str, float]) -> str:
        """Return the question, with the unit and the tolerance that its answer is held to."""
        told = {name: draw.told(values[name]) for name, draw in self.draws.items()}
        unit = f"as a value and a unit, for example in {self.unit}" if self.unit else "as a number"
        return (
            f"{self.text.format(**told)}\n\nGive the answer {unit}; it must be within "
            f"{self.rtol * 100:g} % of the exact one."
        )
