"""Benchmarks: suites come by hook (`hub_register_benchmarks`), figures are rows beside references.

A suite is a function `(plan: Plan) -> Iterable[Row]`. `isolated` runs measuring code in a process
of its own. What a card's `bench` mapping may say stands in `hub.bench.keys`.
"""

from hub.bench.case import Case
from hub.bench.isolate import isolated
from hub.bench.plan import Plan
from hub.bench.row import Row, better, compare, quartiles, rate_case

__all__ = ["Case", "Plan", "Row", "better", "compare", "isolated", "quartiles", "rate_case"]
