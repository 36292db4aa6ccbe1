"""What `import hub` adds to `import gymnasium`, in fresh processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from hub.bench.plan import Plan
from hub.bench.row import Row, better, quartiles

# Milliseconds that importing the hub may add.
ALLOWANCE = 150.0
_CODE = """
import json, time
start = time.perf_counter()
import gymnasium
middle = time.perf_counter()
import hub
print(json.dumps([(middle - start) * 1e3, (time.perf_counter() - middle) * 1e3]))
"""


def startup(plan: Plan, suite: str) -> Iterator[Row]:
    """Yield what importing the hub adds: beside importing Gymnasium, and beside what it may add.

    A ratio says how many times the added time fits into its reference, so above 1 is better.
    """
    rounds = 3 if plan.quick else plan.rounds
    gymnasium, added = [], []
    for done in range(rounds + 1):
        plan.progress("import hub", done, rounds + 1)
        output = subprocess.run(
            [sys.executable, "-c", _CODE], check=True, capture_output=True, text=True
        ).stdout
        first, second = json.loads(output.splitlines()[-1])
        gymnasium.append(first)
        added.append(second)
    # The first process warms the file cache and is not counted.
    median, low, high = quartiles(added[1:])
    base = quartiles(gymnasium[1:])[0]
    # The case names what its ratio compares with: the table shows no reference beside a goal.
    for reference, what, value, goal in (
        ("import gymnasium", "import gymnasium", base, None),
        (f"{ALLOWANCE:g} ms", f"the {ALLOWANCE:g} ms allowed", ALLOWANCE, 1.0),
    ):
        yield Row(
            suite,
            "hub",
            f"time added by import hub: how often it fits into {what}",
            "ms",
            median,
            low,
            high,
            reference=reference,
            reference_median=value,
            ratio=better("ms", median, value),
            goal=goal,
        )
