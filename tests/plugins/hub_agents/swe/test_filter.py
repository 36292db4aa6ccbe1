"""What of an agent's changes is graded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_agents.swe.filter import allowed, is_cache, is_test, refused, told, unseen
from hub_agents.swe.transfer import Seen
from hub_agents.swe.trees import File, Tree

X = File(b"x = 1\n")


@pytest.mark.parametrize(
    "path", ["pkg/core.py", "README.md", "src/pkg/testing.py", "pkg/contest.py", "data/a.bin",
             "pkg/json.py", "latest/x.py", "setup.py"],
)  # fmt: skip
def test_sources_count(path: str) -> None:
    assert refused(path, None, X) == ""
    assert refused(path, X, None) == ""


@pytest.mark.parametrize(
    "path",
    ["tests/x.py", "pkg/tests/data.json", "test_x.py", "pkg/x_test.py", "conftest.py",
     "a/conftest.py",
     "pytest.ini", "tox.ini", ".coveragerc", "sitecustomize.py", "pkg/usercustomize.py", "x.pth",
     "pkg/x.pyc", "pkg/__pycache__/x.py", "pkg/x.so", ".git/config", "x.egg-info/PKG-INFO",
     "PKG-INFO", "json.py", "json/__init__.py", "src/collections/x.py", "pytest.py",
     "lib/_pytest/x.py",
     "../x.py", "/etc/x.py", "a//b.py", "a/../b.py", "a\nb.py", "a\0b.py", "bad\udc80.py", ""],
)  # fmt: skip
def test_tests_settings_compiled_code_and_shadows_do_not(path: str) -> None:
    assert refused(path, None, X)


def test_a_module_of_the_repository_may_have_the_name_of_one_of_pythons() -> None:
    assert refused("json.py", X, File(b"x = 2\n")) == ""


@pytest.mark.parametrize(
    ("path", "old", "new", "counts"),
    [
        ("pyproject.toml", "[project]\nname='a'", "[project]\nname='b'", True),
        ("pyproject.toml", "[project]", "[tool.pytest.ini_options]\naddopts='-k x'", False),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts=''", "", False),
        ("pyproject.toml", "[project]", "not toml [", False),
        ("sub/setup.cfg", "[metadata]\nname=a", "[metadata]\nname=b", True),
        ("setup.cfg", "[metadata]", "[metadata]\n[tool:pytest]\naddopts=-x", False),
        ("setup.cfg", "[metadata]", "[pytest]\naddopts=-x", False),
    ],
)
def test_settings_of_the_runner_inside_other_files_decide(
    path: str, old: str, new: str, counts: bool
) -> None:
    assert (refused(path, File(old.encode()), File(new.encode())) == "") is counts


def test_hidden_paths_are_the_graders() -> None:
    assert refused("check/cases.py", X, None, {"check/cases.py"})


def test_too_much_is_dropped_with_its_reason() -> None:
    new = {f"f{n:04}.py": X for n in range(600)} | {"big.py": File(b"x" * (3 << 20))}
    changes, dropped = allowed({}, new)
    assert len(changes) == 500
    assert "bytes" in dropped["big.py"]
    assert "500 files" in dropped["f0599.py"]


FILES = st.builds(File, st.binary(max_size=3), st.booleans())
PATHS = st.lists(st.sampled_from(["a", "b.py", "tests", "..", ".git", "conftest.py", "c"]),
                 min_size=1, max_size=3).map("/".join)  # fmt: skip
TREES = st.dictionaries(PATHS, FILES, max_size=8)


@given(TREES, TREES)
def test_each_change_is_taken_or_dropped_and_no_test_is_taken(old: Tree, new: Tree) -> None:
    changes, dropped = allowed(old, new)
    differ = {path for path in {*old, *new} if old.get(path) != new.get(path)}
    assert changes.keys() | dropped.keys() == differ
    assert not changes.keys() & dropped.keys()
    assert all(file == new.get(path) for path, file in changes.items())
    assert not any(is_test(path) or ".." in path for path in changes)


def test_what_no_file_shows_is_named_with_its_reason() -> None:
    old = Seen({"a.py": X, "b.py": X}, {"a.py": "644", "b.py": "644"}, {"l": "link to a.py"})
    new = Seen({"b.py": X, "l": X}, {"b.py": "600", "l": "644"}, {"a.py": "link to x", "p": "pipe"})
    assert unseen(old, new) == {
        "a.py": "links are not graded; the file counts as deleted",
        "p": "pipes are not graded",
        "b.py": "its permissions are not graded",
    }
    assert unseen(old, old) == {}
    assert unseen(Seen(), Seen(others={"big": "too large"})) == {
        "big": "files of this size are not graded"
    }
    assert unseen(Seen(others={"l": "link to a"}), Seen()) == {"l": "links are not graded"}


def test_changes_that_are_not_graded_are_one_sentence() -> None:
    assert told({}, 0) == ""
    assert told({"l": "links are not graded"}, 1) == "not graded: l (links are not graded)"
    assert told({"a\nb": "why", "c": "so"}, 3) == "not graded: 'a\\nb' (why), and 2 more"


def test_caches_are_nobodys_change() -> None:
    assert all(map(is_cache, ["a/__pycache__/b.pyc", ".pytest_cache/x", "b.pyc"]))
    assert not any(map(is_cache, ["a.so", "tests/x.py", "x.egg-info/PKG-INFO"]))
