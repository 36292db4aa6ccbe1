"""`hub:agent/Science-v0`: science problems with units, and a Python tool.

59 families of parametric problems in mechanics, thermodynamics, chemistry, circuits, statistics and
numerical methods, or rows of a file. The model may compute in the sandbox's Python: that of the
machine, with whatever packages are installed for the system's own `python3` (on Debian:
`apt-get install python3-scipy`) and those of no virtual environment; the model is told nothing of
them. Observation and action are text (`hub.dialogue.DialogueEnv`).
The answer is a value with a unit; pint checks the dimension, and any unit of it will do. Reward 1.0
within the tolerance that the problem states, else 0.0; the episode ends with the answer, or is
truncated when a budget is used up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hub.dialogue import Budget, DialogueEnv, vector_class
from hub.errors import UnknownOption
from hub_agents.science.domain import ScienceDomain
from hub_agents.science.source import Problems, science_row
from hub_agents.sources import kept, opened


class Science(DialogueEnv):
    r"""Science problems with units, and a Python tool.

    By default 59 families of parametric problems in mechanics, thermodynamics, chemistry,
    circuits, statistics and numerical methods. The answer is a value with a unit, in `\boxed{...}`
    or as the argument of `finish`; reward 1.0 when it is right within the stated tolerance, in any
    unit of the right dimension, else 0.0.

    Args:
        tasks: `"science"`, another registered source, or the path of a .json, .jsonl or .parquet
            file; `hub_agents.science.source.science_row` describes the rows.
        split: `train` or `test`; for a file, what its rows' `split` says.
        task_seed: Which endless set of problems is made.
        areas: Names from `hub_agents.science.families.AREAS`; None takes them all.
        quarantine: File of tasks to leave out, as `hub tasks validate` writes it.
        bad_rows: `"skip"` leaves out rows of a file that are no task, with a warning;
            `"refuse"` raises.
        tools: As in `DialogueEnv`, and so are the rest; `budget` starts with 8 turns, 600 s.

    Raises:
        UnknownOption: A name that there is not, or an option that the tasks do not take.
        TaskError: The file holds no tasks.
        MissingDependency: pint or scipy is absent.
    """

    def __init__(
        self,
        *,
        tasks: str = "science",
        split: str = "train",
        task_seed: int = 0,
        areas: list[str] | None = None,
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
        if tasks == "science":
            source = kept(Problems(split, task_seed, areas), quarantine)
        elif areas is not None:
            raise UnknownOption(f"areas chooses made problems, not {tasks!r}")
        else:
            source = opened(tasks, split, task_seed, science_row, quarantine, bad_rows)
        super().__init__(
            ScienceDomain(source),
            tools=tools,
            parser=parser,
            budget=Budget.of(budget, turns=8, seconds=600.0),
            sandbox=sandbox,
            tokenizer=tokenizer,
            record=record,
            render_mode=render_mode,
        )


ScienceVector = vector_class(Science)
