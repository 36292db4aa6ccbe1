from __future__ import annotations

from hub.bench import Plan
from hub.bench.startup import startup


def test_what_importing_the_hub_adds_stands_beside_gymnasium_and_its_allowance() -> None:
    beside, allowance = startup(Plan(quick=True), "throughput")
    assert (beside.unit, beside.reference, beside.goal) == ("ms", "import gymnasium", None)
    assert (allowance.reference, allowance.reference_median, allowance.goal) == ("150 ms", 150, 1)
    assert beside.median == allowance.median
    assert allowance.median is not None
    assert allowance.ratio == 150 / allowance.median
