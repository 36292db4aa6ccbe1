"""What of an agent's changes is graded: an allow-list, since tests and their settings are ours."""

from __future__ import annotations

import configparser
import sys
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from hub_agents.swe.transfer import Seen
from hub_agents.swe.trees import File, Tree, is_safe

LARGEST = 2 << 20  # bytes of one changed file
TOTAL = 16 << 20  # bytes of all of them
COUNT = 500  # files

# Read by pytest, tox, coverage or the interpreter before the first test.
_SETTINGS = {
    *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini"),
    *("sitecustomize.py", "usercustomize.py", ".coveragerc", "noxfile.py", "ez_setup.py"),
}
_TEST_FOLDERS = {"test", "tests"}
_JUNK_FOLDERS = {"__pycache__", ".git", ".hg", ".svn", ".pytest_cache", ".eggs", ".tox", ".nox"}
_JUNK_ENDINGS = (".pyc", ".pyo", ".pyd", ".so", ".pth", ".egg-link", ".dll", ".dylib")
_NOT_GRADED = {
    "pipe": "pipes", "socket": "sockets", "device": "devices", "too large": "files of this size",
    "closed": "files that cannot be read",
}  # fmt: skip
# Modules that run the tests; a file of the repository must not take their place.
_RUNNERS = {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "py",
            "pygments", "attr", "hypothesis", "freezegun", "hub_report"}  # fmt: skip


def is_test(path: str) -> bool:
    """Tell whether `path` belongs to the tests: by its folders, its name, or as their settings."""
    *folders, name = path.split("/")
    if name in _SETTINGS or _TEST_FOLDERS & set(folders):
        return True
    return name.endswith("_test.py") or (name.startswith("test_") and name.endswith(".py"))


def is_junk(path: str) -> bool:
    """Tell whether `path` is no source: caches, compiled code, metadata of a build."""
    *folders, name = path.split("/")
    made = any(part.endswith((".egg-info", ".dist-info")) for part in folders)
    return made or bool(_JUNK_FOLDERS & {*folders, name}) or name.endswith(_JUNK_ENDINGS)


def is_cache(path: str) -> bool:
    """Tell whether `path` is what tools leave behind as they run, and nobody's change."""
    folders = path.split("/")[:-1]
    return bool(_JUNK_FOLDERS & set(folders)) or path.endswith(".pyc")


def sources(tree: Mapping[str, File]) -> Tree:
    """Return `tree` without junk."""
    return {path: file for path, file in tree.items() if not is_junk(path)}


def refused(path: str, old: File | None, new: File | None, hidden: Iterable[str] = ()) -> str:
    """Say why the change of `path` from `old` to `new` is not graded; empty when it is.

    Args:
        path: Relative to the repository.
        old: What the pristine repository has there, or None.
        new: What the agent left there, or None.
        hidden: Paths, of files or folders, that grading writes or takes as they are.
    """
    if not is_safe(path) or any(ord(c) < 0x20 or 0xD800 <= ord(c) <= 0xDFFF for c in path):
        return "a name that is not graded"
    if any(path == own or path.startswith(f"{own}/") for own in hidden) or is_test(path):
        return "tests and their settings are the grader's"
    if path == "PKG-INFO":
        return "the release's own metadata are not graded"
    if is_junk(path):
        return "compiled code and caches are not graded"
    if old is None and _shadows(path):
        return "it would take the place of a module of Python's or of the test runner's"
    if new is not None and len(new.data) > LARGEST:
        return f"more than {LARGEST} bytes"
    if settings_of(path, old) != settings_of(path, new):
        return "its sections for the test runner differ"
    return ""


def _shadows(path: str) -> bool:
    """Tell whether a new file makes an importable name that is taken."""
    parts = path.split("/")
    inner = parts[1:] if parts[0] in ("src", "lib") else parts
    if not inner:
        return False
    module = inner[0].partition(".")[0] if len(inner) == 1 else inner[0]
    importable = len(inner) > 1 or inner[0].endswith(".py")
    return importable and (module in sys.stdlib_module_names or module in _RUNNERS)


def settings_of(path: str, file: File | None) -> Any:
    """Return what `path` says to the test runner; what cannot be read counts as itself."""
    name = path.rpartition("/")[2]
    if name not in ("pyproject.toml", "setup.cfg") or file is None:
        return {}
    try:
        text = file.data.decode("utf-8")
        if name == "pyproject.toml":
            tools = tomllib.loads(text).get("tool", {})
            return {k: v for k, v in tools.items() if k.startswith(("pytest", "tox", "coverage"))}
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(text)
        wanted = [s for s in parser.sections() if s.startswith(("tool:pytest", "pytest", "tox"))]
        return {section: dict(parser[section]) for section in wanted}
    except (ValueError, configparser.Error, AttributeError):
        return file.data


def allowed(
    old: Tree, new: Tree, hidden: Iterable[str] = ()
) -> tuple[dict[str, File | None], dict[str, str]]:
    """Return the changes from `old` to `new` that are graded, and why each other one is not.

    Returns:
        `(changes, dropped)`: path -> file (None: deleted), and path -> reason.
    """
    changes: dict[str, File | None] = {}
    dropped: dict[str, str] = {}
    kept = set(hidden)
    total = 0
    for path in sorted(set(old) | set(new)):
        before, after = old.get(path), new.get(path)
        if before == after:
            continue
        why = refused(path, before, after, kept)
        size = len(after.data) if after else 0
        if not why and (len(changes) >= COUNT or total + size > TOTAL):
            why = f"more than {COUNT} files or {TOTAL} bytes are changed"
        if why:
            dropped[path] = why
        else:
            changes[path] = after
            total += size
    return changes, dropped


def unseen(old: Seen, new: Seen) -> dict[str, str]:
    """Return why differences between `old` and `new` that no file has are not graded, by path.

    Of a file's permissions one bit is graded: whether its owner may execute it.
    """
    dropped: dict[str, str] = {}
    for path in sorted(set(old.others) | set(new.others)):
        before, after = old.others.get(path), new.others.get(path)
        if before != after and (after or path not in new.tree):
            lost = "; the file counts as deleted" if after and path in old.tree else ""
            dropped[path] = (
                f"{_NOT_GRADED.get(after or before or '', 'links')} are not graded{lost}"
            )
    for path, mode in new.modes.items():
        same = old.tree.get(path) == new.tree[path]
        if same and old.modes.get(path) != mode:
            dropped[path] = "its permissions are not graded"
    return dropped


def told(dropped: Mapping[str, str], count: int) -> str:
    """Return the sentence on `count` changes that are not graded, of which `dropped` names some."""
    if not dropped:
        return ""
    path, why = next(iter(dropped.items()))
    path = path if path.isprintable() else ascii(path)
    more = f", and {count - 1} more" if count > 1 else ""
    return f"not graded: {path} ({why}){more}"
