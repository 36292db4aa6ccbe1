"""The README's set-up on a machine that lacks compilers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import need

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = ("cc", "c89", "c99", "gcc", "g++", "c++", "clang", "clang++", "cargo", "rustc", "cmake")
MAKE_PONG = "import gymnasium; gymnasium.make('hub:native/Pong-v0')"


def _programs_without_compilers(folder: Path) -> Path:
    folder.mkdir()
    for name in ("make", "sh", "bash", "env", "grep", "sed", "expand", "git", "uname", "ldconfig"):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return folder


def _checkout(target: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_machine_without_a_compiler_gets_a_working_hub(tmp_path: Path) -> None:
    need.program("make")
    need.program("git")
    path = _programs_without_compilers(tmp_path / "bin")
    assert not [name for name in COMPILERS if shutil.which(name, path=str(path))]
    here = _checkout(tmp_path / "gymhub")
    env = {**os.environ, "PATH": str(path), "PYTHONNOUSERSITE": "1"}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=here, env=env, capture_output=True, text=True)

    made = run("make", "install", f"PYTHON={sys.executable}")
    assert made.returncode == 0, made.stdout + made.stderr
    assert "no C compiler" in made.stdout

    listed = run(".venv/bin/hub", "list", "--json", "-")
    assert listed.returncode == 0, listed.stderr
    cards = {card["id"]: card for card in json.loads(listed.stdout)["environments"]}
    assert not cards["hub:native/Pong-v0"]["available"]
    assert cards["hub:native/Pong-v0"]["fix"] == "pip install ./native/pong"
    assert cards["hub:jax/Pong-v0"]["available"]

    refused = run(".venv/bin/python", "-c", MAKE_PONG)
    assert "hub.errors.MissingDependency" in refused.stderr
    assert "pip install ./native/pong" in refused.stderr
    played = run(".venv/bin/hub", "play", "hub:jax/Pong-v0", "--steps", "5")
    assert played.returncode == 0, played.stderr
