"""`pytest --hub-conformance ID` in a project of a plugin author."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.hub.conformance.mutants import env_id


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in `folder` with no plugin but ours."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-p", "pytest_gymhub", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def test_without_the_option_nothing_of_the_hub_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    assert 'pytest_gymhub' in sys.modules\n"
        "    assert not {m for m in sys.modules if m.split('.')[0] in ('hub', 'gymnasium')}\n"
    )
    done = run(tmp_path, "-q")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_each_rule_is_a_test_beside_the_project_s_own(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n")
    arguments = ("--hub-conformance", env_id("ArrayReward"), "--hub-conformance-seconds", "8")
    done = run(tmp_path, "-v", *arguments)
    assert done.returncode == 1, done.stdout
    assert "test_it.py::test_it PASSED" in done.stdout
    assert f"hub-conformance::{env_id('ArrayReward')}::reward FAILED" in done.stdout
    assert "breaks the rule reward" in done.stdout
    assert "step 1, reward, seed" in done.stdout
    assert "Traceback" not in done.stdout


def test_rules_are_chosen_like_other_tests_and_need_no_test_files(tmp_path: Path) -> None:
    arguments = ("--hub-conformance", env_id("Good"), "--hub-conformance-seconds", "8")
    done = run(tmp_path, "-q", "-k", "spec", *arguments)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_an_unknown_id_fails_with_its_reason(tmp_path: Path) -> None:
    done = run(tmp_path, "-q", "-k", "spec", "--hub-conformance", "Nope-v1")
    assert done.returncode == 1
    assert "Nope" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_installed_distribution_declares_the_plugin() -> None:
    from importlib.metadata import entry_points

    found = {point.name: point.value for point in entry_points(group="pytest11")}
    assert found["hub-conformance"] == "pytest_gymhub"
