"""The HTML report of `hub verify`: one self-contained file, from certificates' JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from hub.fidelity import svg
from hub.fidelity.mutants import PAPER_SHARES
from hub.fidelity.report import TITLES, mutant_count, terms, verdict, what

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; }
table { border-collapse: collapse; margin: .6rem 0 1.4rem; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #ddd;
         vertical-align: top; }
.passed, .ok { color: #1b7a2f; } .failed { color: #b3261e; font-weight: 600; }
.skipped { color: #8a6d00; } code { font-size: .9em; overflow-wrap: anywhere; }
.date { white-space: nowrap; }
svg text { font: 12px system-ui, sans-serif; } svg { max-width: 100%; height: auto; }
"""


def page(certificates: Sequence[dict[str, Any]]) -> str:
    """One HTML page without any outside resource.

    Args:
        certificates: `Certificate.to_json()` of each environment.
    """
    body = "\n".join(_section(data) for data in certificates)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Fidelity report</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>Fidelity report</h1>\n{body}\n</body></html>\n"
    )


def _section(data: dict[str, Any]) -> str:
    reference = data["reference"]
    versions = ", ".join(f"{k} {v}" for k, v in reference["versions"].items()) or "none"
    facts = {
        "reference": reference["summary"],
        "factory": f"<code>{escape(reference['factory'])}</code>",
        "versions": versions,
        "engine hash": f"<code>{data['engine_hash']}</code>",
        "machine": ", ".join(f"{k} {v}" for k, v in data["machine"].items()),
        "date": data["date"],
    }
    rows = [(key, _raw(value)) for key, value in facts.items()]
    parts = [
        f"<h2>{escape(data['id'])}: level {data['level']}</h2>",
        _table((), rows),
        _levels(data),
        *(_checks(level, data) for level in ("1", "2")),
        _transfer(data),
        _mutants(data),
    ]
    return "\n".join(part for part in parts if part)


def _levels(data: dict[str, Any]) -> str:
    rows: list[tuple[Any, ...]] = []
    for level, title in TITLES.items():
        found = data["levels"].get(level)
        state = found["state"] if found else "not run"
        mark = _raw(f'<span class="{state}">{state}</span>')
        rows.append((title, mark, what(found) if found else "", _date(found)))
    return _table(("level", "state", "what was compared", "date"), rows)


def _date(level: dict[str, Any] | None) -> str:
    return _raw(f'<span class="date">{level["date"]}</span>') if level else ""


def _checks(level: str, data: dict[str, Any]) -> str:
    checks = data["levels"].get(level, {}).get("checks", ())
    rows = [
        (
            check["name"],
            _raw('<span class="ok">ok</span>' if check["passed"] else '<b class="failed">FAIL</b>'),
            f"{check['cases']:,}",
            check["max_error"],
            check["tolerance"],
            check["detail"],
        )
        for check in checks
    ]
    head = ("check", "result", "cases", "largest error", "tolerance", "detail")
    return f"<h3>{TITLES[level]}</h3>\n{_table(head, rows)}" if rows else ""


def _transfer(data: dict[str, Any]) -> str:
    transfer = data["levels"].get("4", {}).get("transfer")
    if not transfer:
        return ""
    rows = [_arm(arm) for arm in transfer["arms"]]
    sides = ("policies (rejected)", "episodes", "power", "mean in engine", "mean in reference")
    head = ("trained in", *sides, "p paired", "p Welch", "effect size", "verdict")
    tested = any(arm["paired"] for arm in transfer["arms"])
    return "\n".join(
        [
            f"<h3>{TITLES['4']}, margin {transfer['margin']:g}</h3>",
            f"<p>{escape(terms(transfer['plan']))}.</p>",
            svg.equivalence_plot(transfer) if tested else "",
            _table(head, rows),
            "<p>A row that is not shown to be equivalent is no evidence of equivalence.</p>",
            svg.learning_curves(transfer),
        ]
    )


def _arm(arm: dict[str, Any]) -> tuple[Any, ...]:
    count = f"{len(arm['policies'])} ({arm['rejected']})"
    test, sizes = arm["paired"], arm["sizes"]
    if test is None:
        return (arm["trained_in"], count, *[""] * 7, verdict(arm))
    numbers = (*test["means"], test["p"], arm["welch"]["p"], test["effect_size"])
    texts = [f"{value:.4g}" for value in numbers]
    sizing = (sizes["episodes"], f"{sizes['power']:.2f}")
    return (arm["trained_in"], count, *sizing, *texts, verdict(arm))


def _mutants(data: dict[str, Any]) -> str:
    mutants = data["mutants"]
    if not mutants:
        return ""
    rows = [
        (
            row["name"],
            row["kind"],
            f"L{row['caught_at']}" if row["caught_at"] else _raw('<b class="failed">survived</b>'),
            row["summary"],
            row["detail"],
        )
        for row in mutants["rows"]
    ]
    head = ("mutant", "kind", "caught at", "what is wrong", "what failed")
    bars = svg.share_bars(mutants["shares"], PAPER_SHARES)
    return f"<h3>{mutant_count(mutants)}</h3>\n{bars}\n{_table(head, rows)}"


class _Raw(str):
    """Text that is HTML already."""


def _raw(text: str) -> _Raw:
    return _Raw(text)


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    first = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = [f"<tr>{first}</tr>"] if first else []
    for row in rows:
        cells = (cell if isinstance(cell, _Raw) else escape(_cell(cell)) for cell in row)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
