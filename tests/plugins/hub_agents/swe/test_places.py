"""What of the host neither the agent's sandbox nor the grader's shows, and images by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hub.dialogue import SandboxOptions, act, spoken
from hub.errors import ImageError, TaskError
from hub.sandbox import create
from hub_agents.swe import places, room, runner
from hub_agents.swe.env import SWE
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from tests.plugins.hub_agents.conftest import LOOK
from tests.plugins.hub_agents.swe.test_instance import INSTANCE


def test_agent_and_grader_see_the_same(
    mined: Instance, mined_file: Path, provider: str, installed: str
) -> None:
    options = SandboxOptions(provider=provider)
    with runner.workshop(mined, options, {}, mined.tests) as sandbox:
        assert sandbox.exec(LOOK.format(installed)).exit_code == 1
        assert sandbox.exec(LOOK.format("pytest")).exit_code == 0
    env = SWE(tasks=str(mined_file), sandbox={"provider": provider})
    env.reset(options={"task": 0})
    seen = env.step(spoken(act("bash", command=f"{LOOK.format(installed)} 2>&1 | tail -n 1")))[0]
    env.cancel()
    env.close()
    assert seen.startswith("ModuleNotFoundError")


def test_a_removed_module_is_not_stood_in_for_by_the_hosts(
    mined: Instance, provider: str, installed: str, tmp_path: Path
) -> None:
    """A repository of one module that the host has too, broken; the attack is to remove it."""
    (tmp_path / f"{installed}.py").write_text("raise ImportError('broken')\n")
    test = f"def test_it():\n    import {installed}\n"
    broken = replace(
        mined,
        base={"kind": "directory", "path": str(tmp_path)},
        gold_patch="",
        tests={"tests/test_it.py": test},
        decoys=(),
        fail_to_pass=("tests/test_it.py::test_it",),
        pass_to_pass=(),
    )
    grade = Grader(SandboxOptions(provider=provider)).grade(broken, {f"{installed}.py": None})
    assert grade.reward == 0.0
    assert "ModuleNotFoundError" in grade.reason


def test_a_name_of_no_image_is_refused_before_it_is_asked_for_anywhere() -> None:
    with pytest.raises(ImageError, match="no image 'nosuch'; there are host"):
        places.image_name("nosuch")


def test_an_image_without_the_repository_is_named(options: SandboxOptions) -> None:
    bare = replace(INSTANCE, base={"kind": "image"}, workdir="/testbed")
    absent = pytest.raises(TaskError, match=r"the image has no /testbed \(image host\)")
    with create(provider=options.provider) as sandbox, absent:
        room.furnish(bare, sandbox, commit=True)
