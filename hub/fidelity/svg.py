"""The few plots of the HTML report, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

WIDTH, HEIGHT, PAD = 640, 240, 48
COLOURS = {"engine": "#1f6fb4", "reference": "#c2571a"}


@dataclass(frozen=True)
class Axis:
    """A linear scale from `low..high` to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Pixel of `value`."""
        span = self.high - self.low or 1.0
        return self.start + (value - self.low) / span * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Three to seven round values: whole multiples of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low or 1.0) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [step * i for i in range(first, last + 1)]


def axis(values: Sequence[float], start: float, end: float) -> Axis:
    """Scale that holds all values with a little room."""
    low, high = min(values), max(values)
    room = (high - low or abs(high) or 1.0) * 0.06
    return Axis(low - room, high + room, start, end)


def equivalence_plot(transfer: dict[str, Any]) -> str:
    """Interval of the difference of every tested arm against the margin."""
    arms = [arm for arm in transfer["arms"] if arm["paired"]]
    margin = transfer["margin"]
    ends = [end for arm in arms for end in arm["paired"]["interval"]]
    x = axis([-margin * 1.2, margin * 1.2, *ends], 160, WIDTH - 8)
    floor = 30 + 56 * len(arms)
    left, right = x(-margin), x(margin)
    parts = [
        f'<rect x="{left:.1f}" y="14" width="{right - left:.1f}" height="{floor - 14}" '
        'fill="#e4f2e4"/>',
        *(_line(x(end), 14, x(end), floor, "#1b7a2f", "4 3") for end in (-margin, margin)),
        _line(x(0), 14, x(0), floor, "#999"),
        _line(x.start, floor, x.end, floor, "#999"),
    ]
    for row, arm in enumerate(arms):
        parts += _interval(arm, x, 46 + 56 * row)
    for value in (-margin, 0.0, margin):
        parts.append(_text(x(value), floor + 16, f"{value:g}", "middle"))
    caption = "return in the engine minus in the reference; the margin is dashed"
    parts.append(_text((x.start + x.end) / 2, floor + 34, caption, "middle"))
    return _svg(floor + 42, parts)


def _interval(arm: dict[str, Any], x: Axis, y: float) -> list[str]:
    test, colour = arm["paired"], COLOURS[arm["trained_in"]]
    dots = [
        f'<circle cx="{x(row["engine"] - row["reference"]):.1f}" cy="{y + 12}" r="2.5" '
        f'fill="{colour}" fill-opacity=".5"/>'
        for row in arm["policies"]
        if x.low <= row["engine"] - row["reference"] <= x.high
    ]
    low, high = (x(end) for end in test["interval"])
    middle = x(test["difference"])
    numbers = f"{test['difference']:.3g} [{test['interval'][0]:.3g}, {test['interval'][1]:.3g}]"
    return [
        _text(152, y + 4, f"trained in the {arm['trained_in']}", "end"),
        _line(low, y, high, y, colour, width=3),
        f'<circle cx="{middle:.1f}" cy="{y}" r="5" fill="{colour}"/>',
        _text(min(max(middle, x.start + 60), x.end - 60), y - 11, numbers, "middle", colour),
        *dots,
    ]


def learning_curves(transfer: dict[str, Any]) -> str:
    """Learning curve of every policy that counts."""
    curves = [
        (arm["trained_in"], [(point["steps"], point["mean_return"]) for point in row["curve"]])
        for arm in transfer["arms"]
        for row in arm["policies"]
        if row["curve"]
    ]
    return curves_plot(curves, {f"trained in the {arm}": COLOURS[arm] for arm in COLOURS}, COLOURS)


def curve_plot(points: Sequence[tuple[float, float]], name: str) -> str:
    """Learning curve of one policy, `(steps, mean return)` point by point."""
    colour = COLOURS["engine"]
    return curves_plot([(name, points)], {name: colour}, {name: colour})


def curves_plot(
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    legend: Mapping[str, str],
    colours: Mapping[str, str],
) -> str:
    """Plot `(key, points)` in the colour of its key; empty when there is nothing to plot."""
    points = [point for _, curve in curves for point in curve]
    if not points:
        return ""
    x = axis([step for step, _ in points], PAD + 8, WIDTH - 8)
    y = axis([value for _, value in points], HEIGHT - 40, 26)
    parts = [_line(x.start, y(v), x.end, y(v), "#e5e5e5") for v in y.ticks()]
    parts += [_text(PAD, y(v) + 4, f"{v:g}", "end") for v in y.ticks()]
    parts += [_text(x(v), HEIGHT - 24, f"{v:,.0f}", "middle") for v in x.ticks() if v >= 0]
    names = list(colours)
    for key, curve in curves:
        path = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in curve)
        # Of two arms the first is drawn broad and pale: it shows where the other lies over it.
        look = ("3", ".35") if key == names[0] and len(names) > 1 else ("1.2", ".8")
        stroke = f'stroke="{colours[key]}" stroke-width="{look[0]}" stroke-opacity="{look[1]}"'
        parts.append(f'<polyline points="{path}" fill="none" {stroke}/>')
    parts.append(_text(8, 12, "mean return", "start"))
    for place, (text, colour) in enumerate(legend.items()):
        parts.append(_text(PAD + 90 + 160 * place, 12, text, "start", colour))
    parts.append(_text((x.start + x.end) / 2, HEIGHT - 6, "environment steps", "middle"))
    return _svg(HEIGHT, parts)


def share_bars(shares: dict[str, float], paper: dict[int, float]) -> str:
    """Shares of the mutants caught by level, beside the paper's."""
    parts = []
    for row, (level, share) in enumerate(shares.items()):
        y = 12 + 44 * row
        parts.append(_text(60, y + 20, f"L{level}", "end"))
        bars = ((share, COLOURS["engine"], "here"), (paper[int(level)], "#aaa", "paper"))
        for place, (value, colour, name) in enumerate(bars):
            top, width = y + 16 * place, 400 * value
            parts.append(
                f'<rect x="70" y="{top}" width="{width:.1f}" height="13" fill="{colour}"/>'
            )
            parts.append(_text(76 + width, top + 11, f"{value:.0%} {name}", "start"))
    return _svg(20 + 44 * len(shares), parts)


def _svg(height: float, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" role="img">\n{body}\n</svg>'


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "", width: float = 1
) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"{dashed}/>'
    )


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#333") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(text)}</text>'
