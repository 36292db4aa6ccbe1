"""How a repository and its tests' wheels come into a sandbox."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hub.dialogue import SandboxOptions
from hub.errors import ClosedError, TaskError
from hub.sandbox import create
from hub_agents.swe import mine, room, sites, transfer, trees
from hub_agents.swe.trees import File
from tests.plugins.hub_agents.swe.test_instance import INSTANCE


def test_a_base_of_another_kind_is_refused() -> None:
    with pytest.raises(TaskError, match="expected kind sdist, directory or image"):
        room.base(replace(INSTANCE, base={"kind": "cloud"}))
    assert room.base(replace(INSTANCE, base={"kind": "image"})) is None


def test_a_directory_is_taken_without_its_history(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("secret")
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "link").symlink_to("/etc/passwd")
    given = replace(INSTANCE, base={"kind": "directory", "path": str(tmp_path)})
    assert room.base(given) == {"a.py": File(b"x = 1\n")}
    with pytest.raises(TaskError, match="there is no such directory"):
        room.base(replace(INSTANCE, base={"kind": "directory", "path": str(tmp_path / "b")}))


def test_a_bug_is_in_the_commit_and_a_patch_that_does_not_fit_is_named(
    tmp_path: Path, options: SandboxOptions
) -> None:
    good = {"a.py": File(b"x = 1\n"), "b/c.py": File(b"y = 1\n")}
    for path, file in good.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(file.data)
    bad = {**good, "a.py": File(b"x = 2\n")}
    base = {"kind": "directory", "path": str(tmp_path)}
    given = replace(INSTANCE, base=base, bug_patch=trees.diff(good, bad))
    with create(provider=options.provider) as sandbox:
        room.furnish(given, sandbox, commit=True)
        assert transfer.snapshot(sandbox, given.workdir) == bad
        seen = sandbox.exec("git log --oneline -p | cat", cwd=given.workdir).stdout
        assert "+x = 2" in seen
        assert "x = 1" not in seen
        with pytest.raises(TaskError, match="bug_patch does not apply"):
            room.apply(given, sandbox, given.bug_patch, "bug_patch")


def test_wheels_are_compiled_once_and_kept(pins: list[str], options: SandboxOptions) -> None:
    python = mine.python_of(options)
    with create(provider=options.provider) as sandbox:
        first = sites.site(pins, python, sandbox)
    assert any(path.endswith(".pyc") for path in first)
    assert "pytest/__init__.py" in first
    assert sites.site(pins, python, sandbox) == first  # closed by now: nothing runs
    with pytest.raises(ClosedError):
        sandbox.exec("true")


def test_a_distribution_is_named_as_its_metadata_say() -> None:
    info = File(b"Metadata-Version: 2.1\nName: Some.odd-name\nVersion: 1.0rc1\n\nName: no\n")
    assert room._named(info) == "Some_odd_name-1.0rc1"
