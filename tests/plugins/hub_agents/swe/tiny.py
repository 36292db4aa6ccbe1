"""A small image as datasets have them: a Python with pytest, git, and a repository in /testbed."""

import importlib.metadata
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

PROGRAMS = ("bash", "git", "python3.11", "cat", "cp", "find", "ls", "ln", "mkdir", "mv", "rm",
            "tar", "env", "sed")  # fmt: skip
LEFT_OUT = ("__pycache__", "test", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "config-*",
            "dist-packages", "tkinter", "distutils", "asyncio/__pycache__")  # fmt: skip
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")

BUGGY = '''"""Sums."""


def total(values):
    """Return the sum of values."""
    result = 0
    for value in values[1:]:
        result += value
    return result


def mean(values):
    return total(values) / len(values) if values else None
'''
FIXED = BUGGY.replace("values[1:]", "values")
FIX = """diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -4,6 +4,6 @@
 def total(values):
     \"\"\"Return the sum of values.\"\"\"
     result = 0
-    for value in values[1:]:
+    for value in values:
         result += value
     return result
"""
TESTS = """from sums import mean, total


def test_nothing():
    assert total([]) == 0
    assert mean([]) is None
"""
NEW_TESTS = (
    TESTS
    + """

def test_total():
    assert total([1, 2, 3]) == 6


def test_mean():
    assert mean([4, 6]) == 5
"""
)
TEST_PATCH = """diff --git a/tests/test_sums.py b/tests/test_sums.py
--- a/tests/test_sums.py
+++ b/tests/test_sums.py
@@ -4,3 +4,11 @@
 def test_nothing():
     assert total([]) == 0
     assert mean([]) is None
+
+
+def test_total():
+    assert total([1, 2, 3]) == 6
+
+
+def test_mean():
+    assert mean([4, 6]) == 5
"""
F2P = ["tests/test_sums.py::test_mean", "tests/test_sums.py::test_total"]
P2P = ["tests/test_sums.py::test_nothing"]
COMMAND = "PYTHONPATH=. python3 -m pytest -p no:cacheprovider -rA"


def write(root: Path, source: str = BUGGY, tests: str = TESTS, r2e: bool = False) -> Path:
    """Write a root directory with the repository at `source`, and return it."""
    for folder in ("usr/bin", "usr/lib64", "usr/lib/python3/dist-packages", "etc", "tmp", "root"):
        (root / folder).mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    for program in PROGRAMS:
        path = shutil.which(program, path="/usr/bin:/bin")
        assert path is not None, f"{program} is not on this machine"
        shutil.copy2(path, root / "usr/bin" / program)
        _libraries(path, root)
    for name, target in (("sh", "bash"), ("python3", "python3.11"), ("python", "python3.11")):
        (root / "usr/bin" / name).symlink_to(target)
    library = root / "usr/lib/python3.11"
    shutil.copytree("/usr/lib/python3.11", library, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for module in library.glob("lib-dynload/*.so"):
        _libraries(str(module), root)
    for name in PACKAGES:
        for file in importlib.metadata.files(name) or ():
            if file.suffix != ".pyc" and ".." not in file.parts:
                target = root / "usr/lib/python3/dist-packages" / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(str(file.locate()), target)
    shutil.copytree("/usr/lib/locale/C.utf8", root / "usr/lib/locale/C.utf8")
    _repository(root / "testbed", source, tests)
    if r2e:
        (root / "r2e_tests").mkdir()
        (root / "r2e_tests/test_1.py").write_text(NEW_TESTS)
        script = f"{COMMAND} r2e_tests\n"
        (root / "testbed/run_tests.sh").write_text(script)
    return root


def _repository(folder: Path, source: str, tests: str) -> None:
    (folder / "tests").mkdir(parents=True)
    (folder / "sums.py").write_text(source)
    (folder / "tests/test_sums.py").write_text(tests)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "The history"]):
        subprocess.run([*git, *words], check=True)


def _libraries(path: str, root: Path) -> None:
    text = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(/\S+)", text):
        target = root / "usr" / str(Path(library)).removeprefix("/usr").lstrip("/")
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, target)


def swe_bench_row(image: str) -> dict[str, Any]:
    """Return a row as SWE-bench has them, with lists in JSON texts."""
    return {
        "repo": "me/sums", "instance_id": "me__sums-1", "base_commit": "0" * 40,
        "patch": FIX, "test_patch": TEST_PATCH, "problem_statement": "The first value is lost.",
        "hints_text": "", "created_at": "2020-01-01T00:00:00Z", "version": "1.0",
        "FAIL_TO_PASS": json.dumps(F2P), "PASS_TO_PASS": json.dumps(P2P),
        "environment_setup_commit": "0" * 40,
        "image": image, "test_cmd": COMMAND, "log_parser": "pytest",
    }  # fmt: skip


def smith_row(image: str) -> dict[str, Any]:
    """Return a row as SWE-smith has them: the image holds the fixed code, the patch the bug."""
    bug = FIX.replace("-    for value in values[1:]", "!").replace("+    for value in values:", "?")
    bug = bug.replace("!:\n?", "-    for value in values:\n+    for value in values[1:]:")
    return {
        "instance_id": "me__sums.00000000.func_1", "repo": "swesmith/me__sums.00000000",
        "patch": bug, "FAIL_TO_PASS": F2P, "PASS_TO_PASS": P2P, "image_name": "me/sums",
        "problem_statement": "The first value is lost.",
        "image": image, "test_cmd": COMMAND, "log_parser": "pytest",
    }  # fmt: skip


def _r2e_commit() -> dict[str, Any]:
    """Return the fix as R2E-Gym takes a commit apart."""
    lines = [
        {"content": line[1:], "type": {" ": "context", "-": "deleted", "+": "added"}[line[0]]}
        for line in FIX.split("@@\n")[1].splitlines()
    ]
    hunk = {
        "descriptor": {"old_range": {"start": 4, "length": 6},
                       "new_range": {"start": 4, "length": 6}, "section": ""},
        "line_group": {"all_lines": lines},
    }  # fmt: skip
    return {
        "file_diffs": [
            {
                "header": {"file": {"path": "sums.py"}, "misc_line": None},
                "index_line": {"old_commit_hash": "1" * 7, "new_commit_hash": "2" * 7, "mode": ""},
                "is_binary_file": False,
                "minus_file": {"path": "a/sums.py"},
                "plus_file": {"path": "b/sums.py"},
                "hunks": [hunk],
            }
        ]
    }


def r2e_row(image: str) -> dict[str, Any]:
    """Return a row as R2E-Gym has them."""
    passed = "=== short test summary info ===\nPASSED r2e_tests/test_1.py::test_nothing\n"
    execution = {
        "repo_name": "sums", "new_commit_hash": "0" * 40, "test_file_names": ["test_1.py"],
        "test_file_codes": [NEW_TESTS], "old_commit_res_stdout": passed,
    }  # fmt: skip
    expected = {
        "test_nothing": "PASSED",
        "test_mean": "PASSED",
        "\x1b[1mtest_total\x1b[0m": "PASSED",
    }
    return {
        "repo_name": "sums", "docker_image": "me/sums_final:0", "commit_hash": "0" * 40,
        "parsed_commit_content": json.dumps(_r2e_commit()),
        "execution_result_content": json.dumps(execution),
        "expected_output_json": json.dumps(expected),
        "problem_statement": "The first value is lost.", "image": image,
        "modified_files": ["sums.py"], "relevant_files": ["sums.py"],
    }  # fmt: skip
