"""The suites: the core's own, and those that plugins register."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from hub.bench.plan import Plan
from hub.bench.row import Row
from hub.errors import BenchError
from hub.plugins import PLUGINS, load

# The core is no plugin; its suites stand here. name: (target, summary)
BUILT_IN = {
    "sandbox": (
        "hub.bench.sandbox:run",
        "Starting a sandbox and running a command in it, beside the bare programs, bash and tmux.",
    ),
    "throughput": (
        "hub.bench.throughput:run",
        "Steps per second with random actions, lane by lane, beside references and layers.",
    ),
}


def suites() -> dict[str, tuple[str, str]]:
    """Return target and summary of every suite by name."""
    plugins = {n: (c.target, c.summary) for n, c in PLUGINS.kind("benchmarks").items()}
    return {**plugins, **BUILT_IN}


def check_names(names: tuple[str, ...]) -> None:
    """Raise `BenchError` naming the nearest suite if one of `names` does not exist."""
    known = suites()
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}."
            raise BenchError(f"no suite {name!r}: {hint}")


def run(name: str, plan: Plan) -> Iterator[Row]:
    """Run one suite; an exception in it becomes a row with an error."""
    check_names((name,))
    try:
        yield from load(suites()[name][0])(plan)
    # A plugin's suite may fail in any way; what it measured until then is kept.
    except Exception as error:
        yield Row(name, "", "suite", "", error=f"{type(error).__name__}: {error}")
