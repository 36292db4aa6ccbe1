"""A log-log line chart as inline SVG; colours come from CSS variables of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from hub.bench.table import number

_WIDTH, _HEIGHT = 960, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 330, 16, 52
# The page defines --c0 to --c7.
_COLOURS = 8
_LEGEND_STEP = 20


@dataclass(frozen=True)
class Line:
    """One line of a chart.

    Attributes:
        name: What the legend says.
        points: `(x, median, low, high)`, all above 0, x upwards.
        own: False draws it dashed: a reference, peer or layer.
    """

    name: str
    points: Sequence[tuple[float, float, float, float]]
    own: bool = True


@dataclass(frozen=True)
class _Axis:
    """A logarithmic axis from data to pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = math.log(self.high) - math.log(self.low) or 1.0
        share = (math.log(value) - math.log(self.low)) / span
        return self.start + share * (self.end - self.start)


def chart(lines: Sequence[Line], title: str, x_label: str, y_label: str) -> str:
    """Return the chart as one `<svg>` element.

    Args:
        lines: At least one, with at least one point.
        title: For screen readers.
        x_label: What x is.
        y_label: What y is.
    """
    xs = sorted({point[0] for line in lines for point in line.points})
    ys = [value for line in lines for point in line.points for value in point[1:]]
    low, high = 10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys)))
    x = _Axis(xs[0], xs[-1], _LEFT + 12, _WIDTH - _RIGHT - 12)
    y = _Axis(low, max(high, low * 10), _HEIGHT - _BOTTOM, _TOP)
    parts = [*_grid(xs, x, y), *_labels(x_label, y_label)]
    for index, line in enumerate(lines):
        parts += _draw(line, index, x, y)
        parts += _legend(line, index)
    height = max(_HEIGHT, _TOP + _LEGEND_STEP * (len(lines) + 1))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _grid(xs: Sequence[float], x: _Axis, y: _Axis) -> list[str]:
    parts = []
    for power in range(round(math.log10(y.low)), round(math.log10(y.high)) + 1):
        at = y.at(10.0**power)
        parts.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}"/>')
        label = number(10.0**power).replace(".00", "").replace(".0", "")
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    for value in xs:
        at = x.at(value)
        parts.append(f'<path class="grid" d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{value:,.0f}'
            "</text>"
        )
    return parts


def _labels(x_label: str, y_label: str) -> list[str]:
    middle_x, middle_y = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    return [
        f'<text class="label" x="{middle_x}" y="{_HEIGHT - 10}" text-anchor="middle">'
        f"{escape(x_label)}</text>",
        f'<text class="label" transform="translate(18 {middle_y}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_label)}</text>',
    ]


def _colour(index: int) -> str:
    return f"style='--c:var(--c{index % _COLOURS})'"


def _dash(line: Line) -> str:
    return "line" if line.own else "line other"


def _draw(line: Line, index: int, x: _Axis, y: _Axis) -> list[str]:
    at = [(x.at(px), y.at(median)) for px, median, _, _ in line.points]
    path = "L".join(f"{px:.1f} {py:.1f}" for px, py in at)
    parts = [f'<g {_colour(index)}><path class="{_dash(line)}" d="M{path}"/>']
    for (px, py), (lanes, median, low, high) in zip(at, line.points, strict=True):
        said = f"{line.name}, {lanes:,.0f}: {number(median)} ({number(low)} to {number(high)})"
        parts.append(
            f'<path class="whisker" d="M{px:.1f} {y.at(low):.1f}V{y.at(high):.1f}"/>'
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5"><title>{escape(said)}</title></circle>'
        )
    return [*parts, "</g>"]


def _legend(line: Line, index: int) -> list[str]:
    left, at = _WIDTH - _RIGHT + 16, _TOP + 10 + index * _LEGEND_STEP
    return [
        f'<g {_colour(index)}><path class="{_dash(line)}" d="M{left} {at}h26"/>'
        f'<circle cx="{left + 13}" cy="{at}" r="3.5"/></g>'
        f'<text x="{left + 34}" y="{at + 4}">{escape(line.name)}</text>'
    ]
