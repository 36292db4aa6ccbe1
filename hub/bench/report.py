"""The HTML page of a run: one self-contained file with plots and tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Any

from hub.bench.chart import Line, chart
from hub.bench.row import Row, rate_case
from hub.bench.table import number, references, spread, times

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #667085; --paper: #fff; --rule: #e4e7ec;
  --good: #117a43; --bad: #b42318; --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7;
  --c4: #e69f00; --c5: #56b4e9; --c6: #7a5195; --c7: #8c8c8c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --dim: #98a2b3; --paper: #14181f;
  --rule: #2b323d; --good: #4ade80; --bad: #f97066; --c0: #4ea8de; --c1: #ff8c42; --c2: #2dd4a7;
  --c3: #e5a3c8; --c6: #b48ed6; --c7: #a8a8a8; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; }
p.note, dl { color: var(--dim); margin: .25rem 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; } th { color: var(--dim); font-weight: 600; }
td { font-variant-numeric: tabular-nums; } .met { color: var(--good); }
.missed, .failed { color: var(--bad); font-weight: 600; } .skipped { color: var(--dim); }
td.said { text-align: left; white-space: normal; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .label { fill: var(--dim); }
svg .grid { stroke: var(--rule); fill: none; } svg circle { fill: var(--c); }
svg .line { stroke: var(--c); stroke-width: 2.2; fill: none; stroke-linejoin: round; }
svg .other { stroke-width: 1.5; stroke-dasharray: 5 4; } svg .whisker { stroke: var(--c); }
"""


def page(data: dict[str, Any]) -> str:
    """Return the page of a document (`hub.bench.document`)."""
    rows = [Row.from_json(row) for row in data["rows"]]
    sections = [
        _section(suite, env_id, list(group))
        for (suite, env_id), group in groupby(rows, key=lambda row: (row.suite, row.id))
    ]
    body = [
        "<h1>gymhub benchmark</h1>",
        _facts(data),
        _overview(rows),
        *sections,
        _changes(data.get("compare", ())),
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>gymhub benchmark</title>'
        f"<style>{_STYLE}</style><body>{''.join(body)}</body></html>\n"
    )


def _facts(data: dict[str, Any]) -> str:
    about = data["machine"]
    machine = (
        f"{about['cpu']}, {about['cores']} cores, {about['memory_gib']} GiB, {about['system']}, "
        f"load {about['load']}"
    )
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    facts = {"machine": machine, "versions": versions, "commit": data["commit"] or "unknown"}
    items = "".join(f"<dt>{name}</dt><dd>{escape(said)}</dd>" for name, said in facts.items())
    return (
        f"<dl>{items}</dl><p class='note'>Every figure is the median over interleaved rounds with "
        "its quartiles. A ratio compares with the reference measured in the same rounds; above 1 "
        "is better.</p>"
    )


def _overview(rows: Sequence[Row]) -> str:
    lines = [
        Line(env_id, best[0].points)
        for env_id, group in groupby(rows, key=lambda row: row.id)
        if (best := [line for line in _lines(list(group)) if line.own])
    ]
    if len(lines) < 2:
        return ""
    return "<h2>Environments</h2>" + chart(lines, "all environments", "lanes", "steps per second")


def _lines(rows: Sequence[Row]) -> list[Line]:
    """Return a line for each case that was measured at several lane counts."""
    found: dict[str, list[tuple[float, float, float, float]]] = {}
    own: set[str] = set()
    for row in rows:
        case = rate_case(row)
        if case is None or not row.median or row.low is None or row.high is None:
            continue
        points = found.setdefault(case.line, [])
        points.append((case.lanes, row.median, row.low, row.high))
        if case.own:
            own.add(case.line)
    return [Line(n, sorted(p), own=n in own) for n, p in found.items() if len(p) > 1]


def _section(suite: str, env_id: str, rows: Sequence[Row]) -> str:
    beside = references(rows)
    note = f"{suite}" + (f", ratio to {beside}" if beside else "")
    lines = _lines(rows)
    plot = chart(lines, env_id, "lanes", "steps per second") if lines else ""
    head = "".join(
        f"<th>{name}</th>" for name in ("case", "median", "spread", "per cpu-s", "ratio", "goal")
    )
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f"<h2>{escape(env_id or suite)}</h2><p class='note'>{escape(note)}</p>{plot}"
        f"<div class='wide'><table><tr>{head}</tr>{body}</table></div>"
    )


def _cells(row: Row) -> str:
    case = f"<td>{escape(row.case)}</td>"
    for word, said in (("failed", row.error), ("skipped", row.skipped)):
        if said:
            return f"{case}<td class='{word}'>{word}</td><td class='said' colspan='4'>" + (
                f"{escape(said)}</td>"
            )
    goal = ""
    if row.goal is not None:
        word = "missed" if row.missed else "met"
        goal = f"<span class='{word}'>{word}: at least {times(row.goal)}</span>"
    values = (
        f"{number(row.median)} {escape(row.unit)}",
        spread(row),
        number(row.per_cpu_second),
        times(row.ratio),
        goal,
    )
    return case + "".join(f"<td>{value}</td>" for value in values)


def _changes(changes: Sequence[dict[str, Any]]) -> str:
    if not changes:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("case", "old", "new", "ratio", ""))
    body = ""
    for change in changes:
        values = (
            number(change["old"]),
            f"{number(change['new'])} {escape(change['unit'])}",
            times(change["ratio"]),
            "within spread" if change["within_spread"] else "",
        )
        name = escape(f"{change['id']} {change['case']}")
        body += f"<tr><td>{name}</td>" + "".join(f"<td>{value}</td>" for value in values) + "</tr>"
    return f"<h2>Against the earlier run</h2><table><tr>{head}</tr>{body}</table>"
