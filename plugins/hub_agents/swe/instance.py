"""One repair task in one form, wherever it came from: mined, mutated, or a row of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from hub.errors import TaskError
from hub_agents.swe.decoys import Decoy, accountable
from hub_agents.swe.patches import touched
from hub_agents.swe.report import PLUGIN

SCHEMA = "hub.swe.instance/1"


@dataclass(frozen=True)
class Instance:
    """A broken repository, what its users say of it, and the tests that tell when it is mended.

    Everything is a JSON value. Patches are unified diffs with `a/` and `b/` prefixes, relative to
    `workdir`. None of the patches and no hidden test is ever inside the agent's sandbox.

    Attributes:
        id: Unique within its source.
        source: `mined`, `mutated`, or the dataset's kind (`swe-bench`, `swe-gym`, `swe-smith`,
            `swe-rebench`, `r2e`).
        repo: The package, or `owner/name`.
        base: Where the code before the fix comes from. `{"kind": "sdist", "package", "version",
            "sha256"}`: an archive that is fetched once; `{"kind": "directory", "path"}`: a folder
            of this machine; `{"kind": "image", "commit"}`: it is in the image, at `workdir`.
        problem: What the agent is asked, as text.
        hints: What the agent may be shown besides; empty where there is nothing.
        fail_to_pass: Tests that fail before the fix and pass after it, as the log parser names
            them.
        pass_to_pass: Tests that pass before and after.
        gold_patch: The fix; empty where none is known.
        bug_patch: What puts the bug in, applied to `base` before the episode (SWE-smith, mutants).
        test_patch: Changes of test files by the fix's authors; applied for grading alone.
        tests: Hidden files by path, whole texts, written for grading alone over whatever is there.
        hidden: Paths, absolute or relative to `workdir`, that the image holds and the agent must
            not see or change; removed before the episode, kept for grading.
        decoys: Edits of the hidden tests that make them fail under the real fix, for grading
            (`hub_agents.swe.decoys`).
        image: Sandbox image: `host`, or a reference that `hub images build` takes (`docker://...`,
            an OCI archive, a .sif file, a directory).
        workdir: Where the repository lies inside the sandbox.
        requires: Wheels (`name==version`) that the tests need beside the repository.
        setup: Commands that grading runs before the tests, in `workdir`, each one shell text.
        test_command: Shell text that runs tests; `{tests}` stands for the test files or names.
        log_parser: Which parser reads its output (`hub_agents.swe.logs`); `hub_report` where the
            tests are pytest's and run by `hub_agents.swe.runner` without a log.
        seconds: Of one run of the tests.
        meta: What else the row holds, for people.
    """

    id: str
    source: str
    repo: str
    base: Mapping[str, Any]
    problem: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    hints: str = ""
    gold_patch: str = ""
    bug_patch: str = ""
    test_patch: str = ""
    tests: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    decoys: tuple[Mapping[str, Any], ...] = ()
    image: str = "host"
    workdir: str = "/workspace/repo"
    requires: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    test_command: str = "python -m pytest -rA {tests}"
    log_parser: str = "pytest"
    seconds: float = 600.0
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.fail_to_pass:
            raise TaskError(
                f"instance {self.id}: fail_to_pass is empty: expected at least one test that the "
                "fix turns from failing to passing"
            )

    @property
    def reserved(self) -> tuple[str, ...]:
        """Paths below `workdir`, files and folders, that grading writes or takes as they are."""
        inside = [path.removeprefix(f"{self.workdir}/") for path in self.hidden]
        patched = [file.path for file in touched(self.test_patch)]
        return (*self.tests, *patched, *(path for path in inside if not path.startswith("/")))

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, with its schema."""
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Instance:
        """Make an instance of what `to_json` returned.

        Raises:
            TaskError: The schema is another one, a field is missing or unknown, or no decoy holds
                tests without a log to account.
        """
        where = f"instance {value.get('id', '?')}"
        if value.get("schema") != SCHEMA:
            raise TaskError(f"{where}: schema {value.get('schema')!r}: expected {SCHEMA!r}")
        given = {key: item for key, item in value.items() if key != "schema"}
        unknown = sorted(set(given) - {f.name for f in fields(cls)})
        if unknown:
            raise TaskError(f"{where}: unknown field {unknown[0]!r}")
        lists = ("fail_to_pass", "pass_to_pass", "requires", "setup", "hidden", "decoys")
        given |= {key: tuple(given[key]) for key in lists if key in given}
        try:
            found = cls(**given)
        except TypeError as error:
            raise TaskError(f"{where}: {error}") from error
        found._require_decoys()
        return found

    def _require_decoys(self) -> None:
        # Rows of datasets, which name another parser, get theirs before their first grading.
        if self.log_parser != PLUGIN:
            return
        if not accountable(map(Decoy.from_json, self.decoys)) & set(self.fail_to_pass):
            raise TaskError(
                f"instance {self.id}: no fail_to_pass test has a decoy that must fail, so that "
                "code which makes every test pass would score 1; expected one at least (`hub swe "
                "mine` and `hub swe mutate` write no other instances: make it again)"
            )
