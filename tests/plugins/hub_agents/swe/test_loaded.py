"""Rows of datasets, run and graded in images of their own."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hub.dialogue import SandboxOptions
from hub_agents.swe import places, rows
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from hub_agents.swe.trees import File
from tests import need
from tests.hub.sandbox.conftest import open_directory, require
from tests.plugins.hub_agents.swe import tiny

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MAKERS = {"swe-bench": tiny.swe_bench_row, "swe-smith": tiny.smith_row, "r2e": tiny.r2e_row}
OPTIONS = SandboxOptions(provider="apptainer")


@pytest.fixture(scope="module")
def roots() -> Iterator[dict[str, str]]:
    """Root directories to make images of, and a place of our own for what is made."""
    require("apptainer")
    need.module("spython")
    need.program("git")
    with pytest.MonkeyPatch.context() as patch, open_directory() as path:
        patch.setenv("HUB_IMAGES", str(path / "store"))
        patch.setenv("HUB_SWE_CACHE", str(path / "cache"))
        buggy = str(tiny.write(path / "buggy", r2e=True))
        fixed = str(tiny.write(path / "fixed", tiny.FIXED, tiny.NEW_TESTS))
        yield {"swe-bench": buggy, "r2e": buggy, "swe-smith": fixed}


@pytest.fixture(scope="module", params=MAKERS)
def loaded(request: pytest.FixtureRequest, roots: dict[str, str]) -> Instance:
    kind = request.param
    made = rows.instance(MAKERS[kind](roots[kind]), "rows.jsonl row 1")
    assert made.source == kind
    return made


def changed(text: str) -> dict[str, File | None]:
    return {"sums.py": File(text.encode())}


def test_the_real_fix_scores_one_and_no_change_scores_nothing(loaded: Instance) -> None:
    grader = Grader(OPTIONS)
    gold = grader.grade(loaded, changed(tiny.FIXED))
    assert (gold.reward, gold.reason) == (1.0, "3 tests passed")
    empty = grader.grade(loaded, {})
    assert empty.reward == 0.0
    assert "FAILED" in empty.reason


def test_a_whole_log_that_is_made_up_scores_nothing(loaded: Instance) -> None:
    names = [*loaded.fail_to_pass, *loaded.pass_to_pass]
    lines = "".join(f"PASSED {'x.py::' if loaded.source == 'r2e' else ''}{n}\n" for n in names)
    text = f"=== short test summary info ===\n{lines}=== 3 passed in 0.01s ===\n"
    forger = (
        f"import os\nfor fd in range(1, 9):\n    try:\n        os.write(fd, {text!r}.encode())\n"
    )
    forger += "    except OSError:\n        pass\nos._exit(0)\n"
    grade = Grader(OPTIONS).grade(loaded, changed(forger + tiny.BUGGY))
    assert grade.reward == 0.0
    assert grade.reason.startswith("forged: ")


def test_what_ends_or_hangs_the_run_is_the_agents_failure(loaded: Instance) -> None:
    grader = Grader(OPTIONS)
    ended = grader.grade(loaded, changed(f"import os\nos._exit(1)\n{tiny.FIXED}"))
    assert ended.reward == 0.0
    assert "its log reports no failure" in ended.reason
    hung = replace(loaded, seconds=5.0)
    grade = grader.grade(hung, changed(f"import time\ntime.sleep(60)\n{tiny.FIXED}"))
    assert grade.reward is None
    assert grade.outcome == "agent_error"
    assert "more than 5 s" in grade.reason


def test_a_repository_is_built_once_for_all_rows_of_its_image(roots: dict[str, str]) -> None:
    name = places.image_name(roots["r2e"])
    assert name == places.image_name(roots["swe-bench"])
    assert name.startswith("swe-buggy-")
    assert places.image_name(name) == name
    assert places.image_name("host") == "host"
