"""`hub:agent/SWE-v0`: repair a real repository.

The observation is what the tools answer and the action is what the model says, both text
(`hub.dialogue.DialogueEnv`). The repository lies in the sandbox as one git commit without history;
neither the fix nor the hidden tests are there. At the end the files that the agent changed go onto
the pristine repository in fresh sandboxes and the hidden tests run. Links, and changes of tests, of
their settings and of compiled files, are dropped; the verdict says which. Reward 1.0 when every
test that the real fix mends passes, and every one that passed before, and no decoy does
(`hub_agents.swe.decoys`); else 0.0. Code under test shares a process with the tests, so it can
forge reports: what it cannot tell is which forms of a test hold. One who guesses is right in one of
16 for each test function with four forms; an adversary that derives the right answers from the
hidden tests without mending the code scores. The episode ends with `finish`, or is truncated when a
budget is used up; then what is there is graded too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hub.dialogue import Budget, DialogueEnv, SandboxOptions, vector_class
from hub_agents.swe.domain import SweDomain
from hub_agents.swe.rows import Defaults
from hub_agents.swe.source import opened


class SWE(DialogueEnv):
    """Repair of real repositories, judged by hidden tests.

    The repository lies at `/workspace/repo` (the prompt says where), as one git commit without
    history. Reward 1.0 when every hidden test passes that the real fix makes pass, and every test
    that passed before, else 0.0; `info["reward_parts"]["fixed"]` is the share of the former. Links,
    and changes of tests, of their settings and of compiled files, are dropped: the verdict says
    which, and `info["reward_parts"]["not_graded"]` counts them.

    Code under test shares a process with the tests and can forge reports, so every test that has
    to be mended also runs in forms that must fail. Who cannot tell those by their text scores by
    luck, in one of 16 for a test function with four forms; who derives the right answers from the
    hidden tests scores without mending anything.

    Args:
        tasks: `"swe"` (the built-in instances, fetched on first use), another registered source,
            an `instance.json` that `hub swe mine` wrote, a directory of such, or a .json, .jsonl
            or .parquet file of instances or of rows of SWE-bench, SWE-Gym, SWE-smith, SWE-rebench
            or R2E-Gym (`hub_agents.swe.rows`).
        image: Template of a dataset row's sandbox image: `docker://me/{docker_id}`,
            `/images/{instance_id}.sif`; empty: the dataset's own.
        test_command: How the tests of dataset rows run that do not say it; `{tests}` stands for
            their files, which otherwise follow it.
        log_parser: What reads its output (`hub_agents.swe.logs`); with `test_command`, `pytest` if
            it is not given.
        split: Of a source; for a file, what its rows' `split` says.
        quarantine: File of tasks to leave out, as `hub tasks validate` writes it.
        bad_rows: `"skip"` leaves out rows of a file that are no task, with a warning;
            `"refuse"` raises.
        tools: As in `DialogueEnv`, and so are the rest; `budget` starts with 60 turns, 3600 s;
            `sandbox` also says how the grader's sandboxes are made, without network.

    Raises:
        UnknownOption: A name that there is not.
        TaskError: An instance cannot be read, or its archives cannot be fetched.
    """

    def __init__(
        self,
        *,
        tasks: str = "swe",
        image: str = "",
        test_command: str = "",
        log_parser: str = "",
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
        defaults = Defaults(image, test_command, log_parser)
        super().__init__(
            SweDomain(opened(tasks, split, quarantine, defaults, bad_rows), options),
            tools=tools,
            parser=parser,
            budget=Budget.of(budget, turns=60, seconds=3600.0),
            sandbox=options,
            tokenizer=tokenizer,
            record=record,
            render_mode=render_mode,
        )


SWEVector = vector_class(SWE)
