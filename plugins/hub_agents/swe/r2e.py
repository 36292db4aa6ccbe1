"""Rows of R2E-Gym: a commit as parsed JSON, tests written for it, and what they gave.

Source of the names: R2E-Gym's models of a commit and of an execution, and its runtime, which moves
the tests from /r2e_tests into the repository and runs its `run_tests.sh`.
"""

from __future__ import annotations

from typing import Any

from hub.errors import TaskError
from hub_agents.swe import fields
from hub_agents.swe.fields import Row
from hub_agents.swe.filter import is_test
from hub_agents.swe.instance import Instance
from hub_agents.swe.logs import PASSED, parser
from hub_agents.swe.logs.results import lines_of

PARSER = "pytest-r2e"
FOLDER = "r2e_tests"
COMMAND = "PATH=$PWD/.venv/bin:$PATH bash run_tests.sh"
# In the image from the start, and nothing for the agent.
HIDDEN = ("/r2e_tests", "/root/r2e_tests", "/root/run_tests.sh", FOLDER, "run_tests.sh")
_SIGNS = {"context": " ", "added": "+", "deleted": "-", "note": "\\ "}


def instance(row: Row, where: str, image: str) -> Instance:
    """Make an instance of a row of R2E-Gym.

    The tests that are expected to pass have to; those of them that did not before the commit are
    the fail-to-pass ones. What is expected to fail is not asked for: R2E-Gym does, but a fix that
    mends more is no worse.

    Raises:
        TaskError: A field is absent or of another kind.
    """
    expected = _cleaned(fields.mapping(row, "expected_output_json", where))
    passing = [name for name, status in expected.items() if name and status == PASSED]
    execution = fields.mapping(row, "execution_result_content", where)
    before = parser(PARSER)(fields.text(execution, "old_commit_res_stdout", where, ""))
    fixed = [name for name in passing if before.get(name) != PASSED]
    if not fixed:
        raise TaskError(
            f"{where}: expected_output_json: each of its {len(passing)} passing tests passed "
            "before the commit, so none shows the fix"
        )
    repo = fields.text(row, "repo_name", where)
    commit = fields.text(row, "commit_hash", where)
    return Instance(
        id=fields.first(row, ("instance_id",), where) or f"{repo}__{commit}",
        source="r2e",
        repo=repo,
        base={"kind": "image", "commit": commit},
        problem=fields.text(row, "problem_statement", where),
        fail_to_pass=tuple(fixed),
        pass_to_pass=tuple(name for name in passing if name not in set(fixed)),
        gold_patch=_patch(fields.mapping(row, "parsed_commit_content", where), where),
        tests=_tests(execution, where),
        hidden=HIDDEN,
        image=image,
        workdir="/testbed",
        test_command=COMMAND,
        log_parser=PARSER,
    )


def _cleaned(expected: dict[str, Any]) -> dict[str, Any]:
    """Return expected statuses by name, without the colours and reasons that some names hold."""
    return {lines_of(name)[0].split(" - ")[0]: status for name, status in expected.items()}


def _tests(execution: dict[str, Any], where: str) -> dict[str, str]:
    files = fields.names(execution, "test_file_names", f"{where}: execution_result_content")
    codes = execution.get("test_file_codes")
    if not isinstance(codes, list) or len(codes) != len(files):
        raise TaskError(
            f"{where}: execution_result_content.test_file_codes: expected {len(files)} texts, one "
            "for each of test_file_names"
        )
    paths = (f"{FOLDER}/{name.rpartition('/')[2]}" for name in files)
    return {path: str(code) for path, code in zip(paths, codes, strict=True)}


def _patch(commit: dict[str, Any], where: str) -> str:
    """Return a commit's changes of Python sources that are no tests, as a unified diff."""
    try:
        return "".join(
            _file(change)
            for change in commit["file_diffs"]
            if _is_source(change["header"]["file"]["path"]) and not change.get("is_binary_file")
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise TaskError(
            f"{where}: parsed_commit_content: {type(error).__name__}: {error}; expected file_diffs "
            "with header.file.path and hunks"
        ) from error


def _is_source(path: str) -> bool:
    folders = path.lower().split("/")[:-1]
    return path.endswith(".py") and not is_test(path) and not {"test", "tests"} & set(folders)


def _file(change: dict[str, Any]) -> str:
    path = change["header"]["file"]["path"]
    lines = [f"diff --git a/{path} b/{path}"]
    if change["header"].get("misc_line"):
        lines.append(change["header"]["misc_line"])
    if change.get("minus_file") and change.get("plus_file"):
        lines += [f"--- {change['minus_file']['path']}", f"+++ {change['plus_file']['path']}"]
    for hunk in change.get("hunks") or ():
        spans = hunk["descriptor"]
        section = f" {spans['section']}" if spans.get("section") else ""
        lines.append(f"@@ -{_span(spans['old_range'])} +{_span(spans['new_range'])} @@{section}")
        for line in hunk["line_group"]["all_lines"]:
            lines.append(f"{_SIGNS[line['type']]}{line['content']}")
    return "".join(f"{line}\n" for line in lines)


def _span(span: dict[str, Any]) -> str:
    length = span.get("length")
    return f"{span['start']}" if length is None else f"{span['start']},{length}"
