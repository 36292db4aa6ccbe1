from __future__ import annotations

import re
from xml.etree import ElementTree

from hub.bench import Row
from hub.bench.chart import Line, chart
from hub.bench.report import page
from hub.bench.table import number, times

ABOUT = {"cpu": "A <fast> one", "cores": 2, "memory_gib": 8.0, "system": "Linux", "load": 0.1}


def rate(case: str, median: float, env_id: str = "hub:toy/Toy-v0", **more: object) -> Row:
    return Row("throughput", env_id, case, "steps/s", median, median * 0.9, median * 1.1, **more)  # type: ignore[arg-type]  # fields by name


def made(rows: list[Row], **more: object) -> str:
    data = {"machine": ABOUT, "versions": {"python": "3"}, "commit": None}
    return page({**data, "rows": [row.to_json() for row in rows], **more})


def drawing(text: str) -> ElementTree.Element:
    found = re.search(r"<svg.*?</svg>", text, re.DOTALL)
    assert found
    return ElementTree.fromstring(found.group())


def test_both_axes_are_logarithmic() -> None:
    points = [(1.0, 1e3, 1e3, 1e3), (4.0, 1e4, 1e4, 1e4), (16.0, 1e5, 1e5, 1e5)]
    circles = list(drawing(chart([Line("a", points)], "t", "x", "y")).iter("circle"))
    places = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in circles[:3]]
    # The page writes a tenth of a unit.
    assert abs((places[1][0] - places[0][0]) - (places[2][0] - places[1][0])) <= 0.2
    assert abs((places[1][1] - places[0][1]) - (places[2][1] - places[1][1])) <= 0.2
    assert places[0][1] > places[2][1]


def test_a_line_for_each_case_over_its_lanes_references_dashed() -> None:
    cases = ("make_vec", "make_vec copy=false", "CartPole-v1 sync", "bare loop")
    rows = [
        rate(f"{' '.join([*words[:-1]] if o else words)} lanes={n}{o}", 100.0 * n)
        for case in cases
        for words in [case.split()]
        for o in [f" {words[-1]}" if "=" in words[-1] else ""]
        for n in (1, 4)
    ]
    svg = drawing(made([*rows, rate("make", 5.0)]))
    legend = [t.text for t in svg.iter("text")][-len(cases) :]
    assert legend == list(cases)
    dashed = [p for p in svg.iter("path") if p.attrib.get("class") == "line other"]
    assert len(dashed) == 2 * 2  # the line and its key in the legend


def test_words_from_outside_are_escaped() -> None:
    text = made(
        [rate("make", 1.0, "<script>alert(1)</script>"), Row("s", "i", "c", "u", error="<b>")]
    )
    assert "<script>" not in text
    assert "A &lt;fast&gt; one" in text
    assert "<b>" not in text


def test_goals_failures_and_comparisons_are_shown() -> None:
    change = {"id": "i", "case": "make", "unit": "steps/s", "old": 1.0, "new": 2.0, "ratio": 2.0}
    rows = [
        rate("make", 1.0, ratio=0.5, goal=0.6),
        Row("s", "i", "c", "u", error="it broke"),
        Row("s", "i", "c", "u", skipped="it is absent"),
    ]
    text = made(rows, compare=[{**change, "within_spread": True}])
    for said in ("missed: at least 0.60x", "it broke", "it is absent", "within spread"):
        assert said in text


def test_numbers_have_three_digits() -> None:
    values = (0.0123, 0.5, 9.999, 99.96, 999.6, 1234.0, 5.6e7, 1.2e9, None)
    assert [number(v) for v in values] == [
        "0.012",
        "0.50",
        "10.0",
        "100",
        "1.00 k",
        "1.23 k",
        "56.0 M",
        "1.20 G",
        "-",
    ]
    assert [times(r) for r in (0.6, 185.4, 12345.0, None)] == ["0.60x", "185x", "12,345x", "-"]
