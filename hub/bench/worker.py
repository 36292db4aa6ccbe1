"""The other end of `hub.bench.isolate`: reads a job, sends rows and progress as JSON lines."""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from typing import Any

from hub.bench.plan import Plan
from hub.plugins import load


def main() -> None:
    """Run the job on standard input and report to the file descriptor in the first argument."""
    job = json.load(sys.stdin)
    sys.path[:] = job["path"]
    # A figure is no place for deprecation notices; standard error is kept for what a crash says.
    warnings.simplefilter("ignore")
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as out:

        def send(**message: Any) -> None:
            out.write(json.dumps(message, allow_nan=False) + "\n")
            out.flush()

        def progress(message: str, done: int, total: int) -> None:
            send(progress=[message, done, total])

        try:
            plan = Plan.from_json(job["plan"], progress)
            for row in load(job["target"])(plan, job["argument"]):
                send(row=row.to_json())
        except Exception as error:
            traceback.print_exc()
            send(error=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
