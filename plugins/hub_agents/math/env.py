r"""`hub:agent/Math-v0`: mathematics problems with a Python tool.

Problems come from reasoning-gym's generators (seeded, difficulty chosen) or from a file; the model
may compute in the sandbox's Python: that of the machine, with whatever packages are installed for
the system's own `python3` (on Debian: `apt-get install python3-sympy`) and those of no virtual
environment; the model is told nothing of them. Observation and action are text
(`hub.dialogue.DialogueEnv`). The answer stands in `\boxed{...}` or is the argument of `finish`;
math-verify compares it with the task's in a process that can be killed. Reward 1.0 when it is
right, else 0.0; the episode ends with the answer, or is truncated when a budget is used up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hub.dialogue import Budget, DialogueEnv, vector_class
from hub.errors import UnknownOption
from hub_agents.math.domain import MathDomain
from hub_agents.math.generators import Generated
from hub_agents.math.rows import math_row
from hub_agents.sources import kept, opened


class Math(DialogueEnv):
    r"""Mathematics problems with a Python tool; the answer is checked by math-verify.

    By default the problems are made by reasoning-gym's generators. The answer stands in
    `\boxed{...}` or is the argument of `finish`; reward 1.0 when it is right, else 0.0. Small and
    capital letters are the same (`X` is `x`, as math-verify reads them); an answer of up to three
    words is compared literally.

    Args:
        tasks: `"math"`, another registered source, or the path of a .json, .jsonl or .parquet
            file; `hub_agents.math.rows` describes the rows (DeepScaleR's and Eurus-2's too).
        split: `train` or `test`; for a file, what its rows' `split` says.
        task_seed: Which endless set of problems is made, 0 to 999.
        difficulty: `easy`, `medium` (where None) or `hard`; only for made problems.
        generators: Names from `hub_agents.math.generators.GENERATORS`; None takes them all.
        quarantine: File of tasks to leave out, as `hub tasks validate` writes it.
        bad_rows: `"skip"` leaves out rows of a file that are no task, with a warning;
            `"refuse"` raises.
        tools: As in `DialogueEnv`, and so are the rest; `budget` starts with 8 turns, 600 s.

    Raises:
        UnknownOption: A name that there is not, or an option that the tasks do not take.
        TaskError: The file holds no tasks.
        MissingDependency: reasoning-gym is absent.
    """

    def __init__(
        self,
        *,
        tasks: str = "math",
        split: str = "train",
        task_seed: int = 0,
        difficulty: str | None = None,
        generators: list[str] | None = None,
        quarantine: str | None = None,
        bad_rows: str = "refuse",
        tools: Sequence[str] = (),
        parser: str = "hermes",
        budget: dict[str, Any] | None = None,
        sandbox: dict[str, Any] | None = None,
        tokenizer: str | None = None,
        record: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        if tasks == "math":
            made = Generated(split, task_seed, difficulty or "medium", generators)
            source = kept(made, quarantine)
        elif difficulty is not None or generators is not None:
            raise UnknownOption(f"difficulty and generators choose made problems, not {tasks!r}")
        else:
            source = opened(tasks, split, task_seed, math_row, quarantine, bad_rows)
        super().__init__(
            MathDomain(source),
            tools=tools,
            parser=parser,
            budget=Budget.of(budget, turns=8, seconds=600.0),
            sandbox=sandbox,
            tokenizer=tokenizer,
            record=record,
            render_mode=render_mode,
        )


MathVector = vector_class(Math)
