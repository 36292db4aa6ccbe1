from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hub.scaffold import ScaffoldError, write
from tests import need

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "name",
    ["jax", "native", "agent", "hub", "gymhub", "numpy", "json", "tests", "class", "Acme", "a_b",
     "9lives", "a--b", "-a", "a/b", "..", "", "a b"],
)  # fmt: skip
def test_a_bad_or_reserved_name_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(ScaffoldError, match=r"name '.*(expected|choose another)"):
        write(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_place_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "acme-new"
    mine.mkdir()
    (mine / "thesis.txt").write_text("ten years")
    with pytest.raises(ScaffoldError, match="acme-new exists; nothing was written"):
        write("acme-new", tmp_path)
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]


def test_every_placeholder_is_filled(tmp_path: Path) -> None:
    files = write("acme-new", tmp_path)
    names = {str(path.relative_to(tmp_path / "acme-new")) for path in files}
    assert names >= {"pyproject.toml", "acme_new/plugin.py", "tests/test_corridor.py"}
    for path in files:
        assert "$" not in path.read_text()


@pytest.mark.slow
def test_the_written_code_is_clean(tmp_path: Path) -> None:
    need.module("ruff")
    write("acme-new", tmp_path)
    root = str(tmp_path / "acme-new")
    style = ["--isolated", "--line-length", "100", root]
    for arguments in (["check", "--select", "E,F,I,UP,B"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *arguments, *style]
        subprocess.run(command, check=True, capture_output=True)
    need.module("mypy")
    config, cache = ROOT / "pyproject.toml", ROOT / ".mypy_cache"
    command = [sys.executable, "-m", "mypy", f"--config-file={config}", f"--cache-dir={cache}"]
    command += ["--strict", "acme_new"]
    typed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert typed.returncode == 0, typed.stdout


def test_the_written_tests_pass(tmp_path: Path) -> None:
    write("acme-new", tmp_path)
    root = tmp_path / "acme-new"
    info = root / "acme_new-0.1.0.dist-info"  # what installing it would write
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-new\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[hub]\nacme-new = acme_new.plugin\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "5 passed" in ran.stdout
