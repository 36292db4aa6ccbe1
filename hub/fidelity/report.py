"""The readable result of `hub verify` in a terminal, from a certificate's JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from hub.fidelity.mutants import PAPER_SHARES

TITLES = {
    "1": "L1 components",
    "2": "L2 interactions",
    "3": "L3 rollouts and distributions",
    "4": "L4 policy transfer",
}
_STYLE = {"passed": "green", "failed": "bold red", "skipped": "yellow"}


def tables(data: dict[str, Any]) -> Iterator[RenderableType]:
    """Everything that a certificate's JSON values say, as rich renderables.

    Args:
        data: `Certificate.to_json()`.
    """
    reference = data["reference"]
    versions = ", ".join(f"{k} {v}" for k, v in reference["versions"].items()) or "no package"
    yield escape(f"{data['id']} against {reference['summary']} ({versions})")
    yield summary_table(data)
    for level in ("1", "2"):
        checks = data["levels"].get(level, {}).get("checks")
        if checks:
            yield check_table(TITLES[level], checks)
    transfer = data["levels"].get("4", {}).get("transfer")
    if transfer:
        yield transfer_table(transfer)
    if data["mutants"]:
        yield share_table(data["mutants"])
        yield mutant_table(data["mutants"])


def summary_table(data: dict[str, Any]) -> Table:
    """One row a level: state and sizes or reason."""
    table = Table(title=f"level reached: L{data['level']}", title_justify="left", box=None)
    for name in ("level", "state", "what was compared"):
        table.add_column(name, overflow="fold")
    for level, title in TITLES.items():
        found = data["levels"].get(level)
        if found is None:
            table.add_row(title, "[dim]not run[/]", "")
        else:
            style = _STYLE[found["state"]]
            table.add_row(title, f"[{style}]{found['state']}[/]", escape(what(found)))
    return table


def what(level: dict[str, Any]) -> str:
    """What one level compared and found, in a line."""
    parts = []
    if checks := level.get("checks"):
        parts.append(f"{len(checks)} checks, {sum(check['cases'] for check in checks):,} cases")
    if rollouts := level.get("rollouts"):
        parts.append(_rollouts(rollouts))
    if spread := level.get("distributions"):
        parts.append(
            f"{spread['samples']} observations a side, {spread['components']} components, "
            f"smallest p {spread['smallest_p']:.2g} (threshold {spread['threshold']:.1g})"
        )
    parts += map(_peer, level.get("peers", ()))
    if level.get("detail"):
        parts.append(level["detail"])
    return "; ".join(parts)


def _rollouts(report: dict[str, Any]) -> str:
    if "episodes" in report:
        rules = _variants(report.get("variants", ()))
        steps = f"{report['episodes']:,} episodes{rules}, {report['steps']:,} steps"
        if not report.get("tolerance"):
            return f"{steps}, exactly"
        return (
            f"{steps}, observations within {_number(report['tolerance'])} (largest difference "
            f"{_number(report['max_error'])}), the rest exactly"
        )
    return (
        f"{report['states']:,} single steps, largest error {_number(report['max_error'])} "
        f"(tolerance {report['tolerance']:.1g}); {report['free_runs']:,} free runs of "
        f"{report['free_steps']}, {_number(report['free_max_error'])} "
        f"(tolerance {report['free_tolerance']:.1g})"
    )


def _peer(peer: dict[str, Any]) -> str:
    """What a peer showed, or why it did not take part."""
    name = " ".join([f"beside {peer['name']}", *peer["versions"].values()])
    if peer["state"] == "skipped":
        return f"not {name}: {peer['detail']}"
    if peer["state"] == "failed":
        return f"{name}: differs"
    apart = "" if peer["last_observation"] else "; it shows no observation of a last step"
    return f"{name}: {_rollouts(peer['rollouts'])}{apart}"


def _variants(variants: Sequence[dict[str, Any]]) -> str:
    """Options that were played, unless they were the defaults alone."""
    texts = [", ".join(f"{k}={v}" for k, v in one.items()) for one in variants]
    return f" ({'; '.join(text or 'default options' for text in texts)})" if any(texts) else ""


def check_table(title: str, checks: list[dict[str, Any]]) -> Table:
    """One row a check."""
    table = Table(title=title, title_justify="left", box=None)
    for name in ("check", "result", "cases", "largest error", "tolerance", "detail"):
        table.add_column(name, overflow="fold")
    for check in checks:
        result = "[green]ok[/]" if check["passed"] else "[bold red]FAIL[/]"
        error, allowed = _number(check["max_error"]), _number(check["tolerance"])
        name, detail = escape(check["name"]), escape(check["detail"])
        table.add_row(name, result, f"{check['cases']:,}", error, allowed, detail)
    return table


def transfer_table(transfer: dict[str, Any]) -> Table:
    """One row an arm."""
    title = f"L4, margin {transfer['margin']:g}\n{escape(terms(transfer['plan']))}"
    table = Table(title=title, title_justify="left", box=None)
    names = ("trained in", "policies", "episodes", "power", "engine", "reference", "p paired")
    for name in (*names, "p Welch", "effect", "verdict"):
        table.add_column(name, overflow="fold")
    for arm in transfer["arms"]:
        test, sizes = arm["paired"], arm["sizes"]
        if test is None:
            table.add_row(arm["trained_in"], *["-"] * 8, escape(verdict(arm)))
            continue
        numbers = [f"{value:.4g}" for value in (*test["means"], test["p"], arm["welch"]["p"])]
        head = [str(len(arm["policies"])), str(sizes["episodes"]), f"{sizes['power']:.2f}"]
        effect = f"{test['effect_size']:.2g}"
        table.add_row(arm["trained_in"], *head, *numbers, effect, escape(verdict(arm)))
    return table


def terms(plan: dict[str, Any]) -> str:
    """The terms of L4 in a sentence, from the plan's JSON values."""
    sides = {
        "engine": (plan["fast_id"], plan["trainer"], plan["engine_options"]),
        "reference": (
            plan["reference_id"],
            plan["reference_trainer"] or plan["trainer"],
            plan["reference_options"],
        ),
    }
    trained = "; ".join(
        f"{side}: {env_id} by {trainer}{_variants([options])}"
        for side, (env_id, trainer, options) in sides.items()
    )
    return (
        f"{trained}; {plan['budget']:,} steps a policy, which counts from a return of "
        f"{plan['return_threshold']:g}; power {plan['power']:.0%} asked for"
    )


def verdict(arm: dict[str, Any]) -> str:
    """What a row of L4 shows, in words."""
    test, text = arm["paired"], str(arm["statement"])
    if test and test["standard_error"] == 0 and test["difference"] == 0:
        return f"{text}; every policy earned the same on both sides"
    return text


def share_table(mutants: dict[str, Any]) -> Table:
    """Shares by level beside the paper's."""
    title = mutant_count(mutants)
    table = Table(title=title, title_justify="left", box=None)
    for name in ("caught at", "here", "in the paper"):
        table.add_column(name, justify="right")
    for level, share in mutants["shares"].items():
        table.add_row(f"L{level}", f"{share:.0%}", f"{PAPER_SHARES[int(level)]:.0%}")
    return table


def mutant_count(mutants: dict[str, Any]) -> str:
    """How many mutants there were, how many survived and what they were run with."""
    rows, left = len(mutants["rows"]), len(mutants["survivors"])
    return f"{rows} mutants, {left} survived {mutants.get('sample', 1.0):.0%} of the checks"


def mutant_table(mutants: dict[str, Any]) -> Table:
    """One row a mutant."""
    table = Table(box=None)
    for name in ("mutant", "kind", "caught at", "what is wrong"):
        table.add_column(name, overflow="fold")
    for row in mutants["rows"]:
        level = f"L{row['caught_at']}" if row["caught_at"] else "[bold red]survived[/]"
        table.add_row(escape(row["name"]), row["kind"], level, escape(row["summary"]))
    return table


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.3g}"
