"""A fresh environment with the hub's own wheel and the third party's, as pip installs them."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


@dataclass
class Fresh:
    """A virtual environment of its own."""

    path: Path

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, far from the source tree."""
        program = self.path / "bin" / command[0]
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "HUB_"))}
        return subprocess.run(
            [str(program), *command[1:]],
            cwd=self.path,
            env={**clean, **env},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def build_wheel(project: Path, into: Path) -> Path:
    """Build the wheel of `project` as a user would, in isolation."""
    before = set(into.glob("*.whl"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(into)]
    subprocess.run([*command, str(project)], check=True, capture_output=True, text=True)
    (wheel,) = set(into.glob("*.whl")) - before
    return wheel


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """The hub, the good and the broken third party, each from its wheel."""
    wheels = tmp_path_factory.mktemp("wheels")
    built = [build_wheel(p, wheels) for p in (ROOT, HERE / "acme", HERE / "broken")]
    path = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(path, with_pip=True)
    install = [str(path / "bin" / "python"), "-m", "pip", "install", "--quiet", *map(str, built)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Fresh(path)
