from __future__ import annotations

from hub.bench import Plan
from hub.bench.startup import startup


def test_what_importing_the_hub_adds_stands_beside_gymnasium_and_its_allowance() -> None:
    beside, allowance = startup(Plan(quick=True), "throughput")
    assert (beside.unit, beside.reference, beside.goal) == ("ms", "import gymnasium", None)
    assert (allowance.reference, allowance.reference_median, allowance.goal) == ("150 ms", 150, 1)
    assert beside.median == allowance.median
    # Each row says by itself what its time is and what its ratio counts.
    assert beside.case == "time added by import hub: how often it fits into import gymnasium"
    assert allowance.case == "time added by import hub: how often it fits into the 150 ms allowed"
    assert beside.ratio == (beside.reference_median or 0) / (beside.median or 1)
    assert allowance.median is not None
    assert allowance.ratio == 150 / allowance.median
