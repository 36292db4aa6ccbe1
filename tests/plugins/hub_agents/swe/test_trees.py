"""Archives are unpacked safely, and diffs are those that git applies."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.errors import TaskError
from hub_agents.swe import trees
from hub_agents.swe.trees import File, Tree
from tests import need


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for name, data in files.items():
            bundle.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def test_files_lose_their_top_folder_and_keep_their_mode() -> None:
    run = member("p-1/run.sh")
    run.mode = 0o755
    tree = trees.unpack_source(tarred((member("p-1/a/b.py"), b"x"), (run, b"y")), "p-1.tar.gz")
    assert tree == {"a/b.py": File(b"x"), "run.sh": File(b"y", executable=True)}
    assert trees.unpack_source(zipped(p1__a=b"x"), "p-1.zip") == {"a": File(b"x")}


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "p/../../evil", "p/./x", "p//x", "p\\..\\x", "p/.."]
)
def test_a_name_that_leaves_its_folder_is_refused(name: str) -> None:
    with pytest.raises(TaskError, match="leaves its folder"):
        trees.unpack_source(tarred((member(name), b"x")), "archive")


def test_links_and_devices_are_left_out() -> None:
    archive = tarred(
        (member("p/a"), b"x"),
        (member("p/soft", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (member("p/hard", tarfile.LNKTYPE, "p/a"), b""),
        (member("p/pipe", tarfile.FIFOTYPE), b""),
        (member("p/device", tarfile.CHRTYPE), b""),
    )
    assert trees.unpack_source(archive, "archive") == {"a": File(b"x")}


@pytest.mark.parametrize(
    ("limit", "value"), [("LARGEST", 10), ("TOTAL", 15), ("COUNT", 1)], ids=lambda v: str(v)
)
def test_what_is_too_large_is_refused(
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, limit, value)
    for archive in (
        tarred((member("p/a"), b"x" * 11), (member("p/b"), b"y" * 8)),
        zipped(p__a=b"x" * 11, p__b=b"y" * 8),
    ):
        with pytest.raises(TaskError, match="too large at"):
            trees.unpack_source(archive, "archive")


@pytest.mark.parametrize("cut", [60, 90, 130])
def test_a_damaged_archive_is_named(cut: int) -> None:
    with pytest.raises(TaskError, match=r"p-1\.tar\.gz"):
        trees.unpack_source(tarred((member("p/a"), b"x" * 5000))[:-cut], "p-1.tar.gz")
    with pytest.raises(TaskError, match="cannot be unpacked"):
        trees.unpack_source(zipped(p__a=b"x" * 500)[:-cut], "p-1.zip")


def test_two_top_folders_are_refused() -> None:
    with pytest.raises(TaskError, match="one folder at its top"):
        trees.unpack_source(tarred((member("p/a"), b""), (member("q/a"), b"")), "archive")


def test_a_wheel_gives_what_goes_into_site_packages() -> None:
    wheel = zipped(
        **{"pkg/a.py": b"1", "x-1.data/purelib/b.py": b"2", "x-1.data/scripts/run": b"3"}
    )
    assert trees.unpack_wheel(wheel, "x-1.whl") == {"pkg/a.py": File(b"1"), "b.py": File(b"2")}


def test_equal_trees_pack_to_equal_bytes_that_unpack_to_them() -> None:
    tree = {"b": File(b"2", executable=True), "a/c": File(b"1")}
    packed = trees.packed({"top": tree})
    assert packed == trees.packed({"top": dict(sorted(tree.items()))})
    assert trees.unpack_source(packed, "archive") == tree


TEXTS = st.text(st.sampled_from("ab\n\r\t \u2028\x0cé"), max_size=30)
FILES = st.builds(File, TEXTS.map(str.encode), st.booleans())
NAMES = st.sampled_from(["a", "b c", "d/e.py", "d/é", 'q"t', "tab\tname", "d/f/g"])
TREES = st.dictionaries(NAMES, FILES, max_size=5)


def laid(tree: Tree, folder: Path) -> None:
    for path, file in tree.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)
        target.chmod(0o755 if file.executable else 0o644)


@settings(max_examples=60, deadline=None)
@given(TREES, TREES)
def test_git_makes_the_new_tree_of_the_old_one_by_the_diff(old: Tree, new: Tree) -> None:
    git = need.program("git")
    text = trees.diff(old, new)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        laid(old, folder)
        if text:
            command = [git, "apply", "--whitespace=nowarn", "-"]
            subprocess.run(command, input=text.encode(), cwd=folder, check=True)
        assert trees.of_directory(folder) == new


def test_a_diff_of_equal_trees_is_empty_and_binary_files_are_named() -> None:
    tree = {"a": File(b"\0"), "b": File(b"x")}
    assert trees.diff(tree, tree) == ""
    assert "Binary files a/a and b/a differ" in trees.diff(tree, {**tree, "a": File(b"\xff")})
