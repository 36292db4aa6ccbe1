"""Rows of datasets, run and graded in images of their own."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub.dialogue import SandboxOptions
from hub.dialogue.validate import play
from hub_agents.swe import places, rows
from hub_agents.swe.env import SWE
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


@pytest.mark.parametrize(
    ("code", "why"),
    [("import os\nos._exit(1)\n", "reports no test"), ("while True: pass\n", "more than 40 s")],
)
def test_what_ends_or_hangs_the_run_is_the_agents_failure(
    roots: dict[str, str], code: str, why: str
) -> None:
    row = {**tiny.swe_bench_row(roots["swe-bench"]), "seconds": 40}
    grade = Grader(OPTIONS).grade(rows.instance(row, "row 1"), changed(code + tiny.FIXED))
    assert grade.reward is None
    assert grade.outcome == "agent_error"
    assert why in grade.reason


def test_the_agents_of_validation_get_what_they_deserve(
    roots: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(MAKERS[kind](roots[kind])) for kind in MAKERS))
    with contextlib.closing(SWE(tasks=str(path), sandbox={"provider": "apptainer"})) as env:
        for index, kind in enumerate(MAKERS):
            task = env.domain.source.get(index)
            assert task.data["source"] == kind
            agents = env.domain.cheats(task)
            played = {"oracle": env.domain.oracle(task), "log": agents["print a log"]}
            rewards = {name: play(env, index, agent)[0] for name, agent in played.items()}
            assert rewards == {"oracle": 1.0, "log": 0.0}


def test_a_repository_is_built_once_for_all_rows_of_its_image(roots: dict[str, str]) -> None:
    name = places.image_name(roots["r2e"])
    assert name == places.image_name(roots["swe-bench"])
    assert name.startswith("swe-buggy-")
    assert places.image_name(name) == name
    assert places.image_name("host") == "host"
