"""What of the host a sandbox must not show, in the agent's sandbox and the grader's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hub.dialogue import SandboxOptions, act, spoken
from hub.errors import ImageError, TaskError
from hub.sandbox import Sandbox, create
from hub_agents.swe import places, room, runner
from hub_agents.swe.env import SWE
from hub_agents.swe.grading import Grader
from hub_agents.swe.instance import Instance
from tests import need
from tests.plugins.hub_agents.swe.test_instance import INSTANCE

LOOK = "python3 -c 'import importlib, sys; importlib.import_module(sys.argv[1])' {}"


@pytest.fixture(scope="module")
def installed() -> str:
    """A module that a host's own Python has beside its standard library."""
    folder = Path("/usr/lib/python3/dist-packages")
    names = ("yaml", "six", "pkg_resources", "pip")
    found = [name for name in names if any(folder.glob(f"{name}*"))]
    if not found:
        need.missing(f"{folder} has none of {', '.join(names)}")
    return found[0]


@pytest.fixture
def host(provider: str) -> Iterator[Sandbox]:
    with create(provider=provider, mounts=places.hidden("host")) as sandbox:
        yield sandbox


def test_a_package_of_the_host_is_neither_imported_nor_copied(
    host: Sandbox, installed: str
) -> None:
    done = host.exec(LOOK.format(installed))
    assert done.exit_code == 1
    assert "ModuleNotFoundError" in done.stderr
    found = host.exec("find /usr \\( -name dist-packages -o -name site-packages \\) | xargs ls -A")
    assert "/usr/lib/python3/dist-packages:" in found.stdout
    assert all(line.endswith(":") for line in found.stdout.split("\n") if line)
    assert host.exec("touch /usr/lib/python3/dist-packages/x").exit_code != 0
    assert host.exec("git --version && python3 -c 'import json, ssl'").exit_code == 0


def test_it_is_there_where_nothing_hides_it(provider: str, installed: str) -> None:
    with create(provider=provider) as sandbox:
        assert sandbox.exec(LOOK.format(installed)).exit_code == 0


def test_a_built_image_keeps_its_packages() -> None:
    assert places.hidden("debian") == ()


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
