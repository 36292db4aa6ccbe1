"""`python -m hub.sandbox.conformance PROVIDER [--json PATH]`: run the suite, print the outcomes."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from hub.cli.output import console, json_option, write_json
from hub.sandbox import conformance

_STYLES = {"passed": "green", "failed": "bold red", "skipped": "yellow"}


@click.command()
@click.argument("provider")
@json_option
def main(provider: str, json_path: str | None) -> None:
    """Run every check against PROVIDER; exit status 1 when one fails."""
    out = console(json_path)
    outcomes = []
    for check in conformance.CHECKS:
        outcome = conformance.run_check(check, provider)
        outcomes.append(outcome)
        style = _STYLES[outcome.status]
        label = f"{outcome.attack or '-':4} {outcome.name.replace('_', ' ')}"
        line = f"[{style}]{outcome.status:8}[/] {outcome.seconds:6.2f} s  {label}"
        out.print(line + (f"\n         {outcome.reason}" if outcome.reason else ""))
    rows = [asdict(outcome) for outcome in outcomes]
    write_json({"provider": provider, "checks": rows}, "hub.sandbox.conformance/1", json_path)
    sys.exit(any(outcome.status == "failed" for outcome in outcomes))


if __name__ == "__main__":
    main()
