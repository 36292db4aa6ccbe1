"""The plots of the report: round ticks, everything inside the picture, values that can be read."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.fidelity import svg
from hub.fidelity.certificate import json_values
from hub.fidelity.equivalence import paired_tost
from tests import need

need.module("scipy")


def parsed(picture: str) -> tuple[ET.Element, float, float]:
    root = ET.fromstring(picture)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    return root, width, height


def arm(side: str, gaps: list[float], margin: float) -> dict[str, Any]:
    curve = [{"steps": 1000 * i, "mean_return": float(i)} for i in range(5)]
    rows = [{"engine": 30 + gap, "reference": 30.0, "curve": curve} for gap in gaps]
    test = paired_tost([r["engine"] for r in rows], [r["reference"] for r in rows], margin)
    return {"trained_in": side, "paired": json_values(test), "policies": rows}


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_round_and_within_the_axis(low: float, span: float) -> None:
    ticks = svg.Axis(low, low + span, 0, 100).ticks()
    assert 2 <= len(ticks) <= 7
    assert low - 1e-6 * span <= ticks[0]
    assert ticks[-1] <= low + span * (1 + 1e-6)
    step = f"{ticks[1] - ticks[0]:.0e}"
    assert step[0] in "125"


@pytest.mark.parametrize(
    "gaps", [[0.0] * 10, [0.1, -0.2, 0.3, 0.0], [4.0, 6.0, 5.0, 5.5], [-9.0, -5.0, -7.0]]
)
def test_an_equivalence_plot_says_its_numbers_inside_the_picture(gaps: list[float]) -> None:
    transfer = {"margin": 1.0, "arms": [arm(side, gaps, 1.0) for side in ("engine", "reference")]}
    root, width, height = parsed(svg.equivalence_plot(transfer))
    for circle in root.iter("circle"):
        assert 0 <= float(circle.attrib["cx"]) <= width
        assert 0 <= float(circle.attrib["cy"]) <= height
    texts = [text.text for text in root.iter("text")]
    difference = transfer["arms"][0]["paired"]["difference"]
    assert sum(str(text).startswith(f"{difference:.3g} [") for text in texts) == 2
    assert {"-1", "0", "1"} <= set(texts)


def test_curves_of_both_arms_can_be_told_apart_where_they_coincide() -> None:
    transfer = {"margin": 1.0, "arms": [arm(side, [0.0, 0.1], 1.0) for side in svg.COLOURS]}
    root, _, _ = parsed(svg.learning_curves(transfer))
    lines = list(root.iter("polyline"))
    assert len(lines) == 4
    widths = {line.attrib["stroke"]: float(line.attrib["stroke-width"]) for line in lines}
    assert widths[svg.COLOURS["engine"]] > widths[svg.COLOURS["reference"]]


def test_one_curve_is_drawn_in_full_and_none_gives_no_picture() -> None:
    root, _, _ = parsed(svg.curve_plot([(0.0, 1.0), (10.0, 1.0)], "one"))
    (line,) = root.iter("polyline")
    assert float(line.attrib["stroke-opacity"]) > 0.5
    assert svg.curve_plot([], "none") == ""
