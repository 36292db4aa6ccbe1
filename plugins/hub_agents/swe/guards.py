"""Decoys for instances whose tests run by a command: made of their own tests, proved once.

A mined instance gets its decoys when it is mined. A row of a dataset has none; so before its first
grading on a machine its tests run under the real fix, with wrong expectations in them, and those
that fail by it are kept in the cache. That takes up to four runs of its tests.
"""

from __future__ import annotations

import ast
import hashlib
import json
import posixpath
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hub.dialogue import SandboxOptions
from hub.errors import SandboxFileError
from hub.sandbox import Sandbox
from hub_agents.swe import commands, decoys, forms, runner, sdists
from hub_agents.swe.decoys import Decoy
from hub_agents.swe.instance import Instance
from hub_agents.swe.logs.results import FAILED, PASSED
from hub_agents.swe.patches import touched

GUARDED = 6  # functions of pass-to-pass tests that get a decoy, beside all fail-to-pass ones
TRIED = 4  # groups of forms that are tried for each function
LARGEST = 4 << 20  # bytes of a test file that is looked at
_UNITTEST = re.compile(r"(\w+) \(([\w.]+)\)")
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Function:
    """A test function: `PATH::[Class::]name`, and which of the instance's tests are its."""

    name: str
    tests: tuple[str, ...]

    @property
    def path(self) -> str:
        """The file that defines it."""
        return self.name.partition("::")[0]


def guarded(instance: Instance, options: SandboxOptions) -> Instance:
    """Return `instance` with decoys where it has none and can have some.

    It cannot where no fix is known, where its tests are not in Python, or where their names do not
    tell one function. `meta["without_decoy"]` names the fail-to-pass tests without one.

    Raises:
        Broken: Its tests cannot be run under the real fix.
        TaskError: Its patches do not apply.
        SandboxError: A sandbox failed.
    """
    if instance.decoys or not instance.gold_patch or instance.log_parser not in _NAMES:
        return instance
    path = sdists.cache() / "guards-2" / f"{_digest(instance)}.json"
    with _LOCK:
        if not path.is_file():
            tests, proved = _proved(instance, options)
            found = {"tests": tests, "decoys": [one.to_json() for one in proved]}
            path.parent.mkdir(parents=True, exist_ok=True)
            sdists.publish(path, json.dumps(found).encode())
    known = json.loads(path.read_text(encoding="utf-8"))
    covered = {test for one in known["decoys"] for test, _ in one["tests"]}
    bare = [test for test in instance.fail_to_pass if test not in covered]
    return replace(
        instance,
        tests={**instance.tests, **known["tests"]},
        decoys=tuple(known["decoys"]),
        meta={**instance.meta, "without_decoy": bare},
    )


def _digest(instance: Instance) -> str:
    text = json.dumps(instance.to_json(), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _proved(instance: Instance, options: SandboxOptions) -> tuple[dict[str, str], list[Decoy]]:
    """Return the texts of the test files that hold decoys, and two forms of each function."""
    runs = 2 * TRIED + len(instance.setup)
    with runner.workshop(
        instance, options, {}, instance.tests, runs, instance.gold_patch
    ) as sandbox:
        commands.prepare(sandbox, instance)
        texts = dict(_texts(sandbox, instance))
        left = {
            function: _pairs(instance, function, texts[function.path])
            for function in functions(instance, texts)
        }
        proved: list[Decoy] = []
        while left := {function: some for function, some in left.items() if some}:
            put = {function: some.pop(0) for function, some in left.items()}
            good = {function: set(function.tests) for function in put}
            for turn in (0, 1):  # as in grading, half of them hold
                shown = {f: pair[(at + turn) % 2] for at, (f, pair) in enumerate(put.items())}
                _write(sandbox, instance, texts, list(shown.values()))
                log = commands.run(sandbox, instance)
                for function, one in shown.items():
                    wanted = PASSED if one.holds else FAILED
                    good[function] &= {t for t in function.tests if log.results.get(t) == wanted}
            for function, pair in put.items():
                named = tuple((t, t) for t in function.tests if t in good[function])
                if named:
                    proved.extend(replace(one, tests=named) for one in pair)
                    del left[function]
    kept = {one.path for one in proved}
    return {path: text for path, text in texts.items() if path in kept}, proved


def _pairs(instance: Instance, function: Function, text: str) -> list[tuple[Decoy, Decoy]]:
    """Return pairs of a form that holds and one that does not, chosen by a hash of the fix.

    Names of tests stay as they are, so parameters are left alone.
    """
    digest = hashlib.sha256(f"{instance.gold_patch}{function.name}".encode()).digest()
    found = []
    for group in forms.candidates(function.name, text, key=instance.gold_patch):
        holding = [one for one in group if one.holds]
        failing = [one for one in group if not one.holds]
        if not group[0].renames:
            one = holding[digest[0] % len(holding)]
            found.append((one, failing[digest[1] % len(failing)]))
    return found[:TRIED]


def _texts(sandbox: Sandbox, instance: Instance) -> Iterator[tuple[str, str]]:
    """Yield path and text of the test files, as the fix's authors left them."""
    listed = (*instance.fail_to_pass, *instance.pass_to_pass)
    paths = [*instance.tests, *(f.path for f in touched(instance.test_patch) if not f.deleted)]
    paths += [test.partition("::")[0] for test in listed if ".py::" in test]
    for path in sorted({path for path in paths if path.endswith(".py")}):
        try:
            data = sandbox.read(posixpath.join(instance.workdir, path), limit=LARGEST)
            yield path, data.decode("utf-8")
        except (SandboxFileError, UnicodeDecodeError):
            continue  # it is somewhere else, or no text: its tests get no decoy


def _write(
    sandbox: Sandbox, instance: Instance, texts: Mapping[str, str], put: Sequence[Decoy]
) -> None:
    for path, text in texts.items():
        mine = [one for one in put if one.path == path]
        sandbox.write(posixpath.join(instance.workdir, path), decoys.edited(text, mine))


def functions(instance: Instance, texts: Mapping[str, str]) -> list[Function]:
    """Return the functions that get decoys: all of the fail-to-pass tests, some of the others."""
    fixed = _grouped(instance.fail_to_pass, instance, texts)
    taken = {function.name for function in fixed}
    near = {function.path for function in fixed}
    others = [f for f in _grouped(instance.pass_to_pass, instance, texts) if f.name not in taken]
    others.sort(key=lambda f: (f.path not in near, hashlib.sha256(f.name.encode()).digest()))
    return [*fixed, *others[:GUARDED]]


def _grouped(tests: Sequence[str], instance: Instance, texts: Mapping[str, str]) -> list[Function]:
    key_of, name_of = _NAMES[instance.log_parser]
    known: dict[str, list[str]] = {}
    for path, text in texts.items():
        for inner in _defined(text):
            known.setdefault(name_of(path, inner), []).append(f"{path}::{inner}")
    groups: dict[str, list[str]] = {}
    for test in tests:
        found = known.get(key_of(test), [])
        if len(found) == 1:  # two functions of one name cannot be told apart
            groups.setdefault(found[0], []).append(test)
    return [Function(name, tuple(own)) for name, own in groups.items()]


def _defined(text: str) -> Iterator[str]:
    """Yield `[Class::]name` of each function in a module."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    stack: list[tuple[str, Any]] = [("", tree)]
    while stack:
        prefix, node = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                stack.append((f"{prefix}{child.name}::", child))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{prefix}{child.name}"


def _without_parameters(test: str) -> str:
    return test.partition("[")[0]


def _unittest_key(test: str) -> str:
    """Return `Class.method` of `method (module.Class)`, in either form that Python has had."""
    found = _UNITTEST.fullmatch(test)
    if not found:
        return test
    method, where = found.groups()
    return f"{where.removesuffix(f'.{method}').rpartition('.')[2]}.{method}"


def _pytest_name(path: str, inner: str) -> str:
    return f"{path}::{inner}"


def _dotted(path: str, inner: str) -> str:
    return inner.replace("::", ".")


# By parser: what tells a test's function, and how a function is called in those terms.
_NAMES: dict[str, tuple[Callable[[str], str], Callable[[str, str], str]]] = {
    "pytest": (_without_parameters, _pytest_name),
    "pytest-options": (_without_parameters, _pytest_name),
    "pytest-matplotlib": (_without_parameters, _pytest_name),
    "tox": (_without_parameters, _pytest_name),
    "pytest-r2e": (_without_parameters, _dotted),
    "sympy": (str, _dotted),
    "unittest": (_unittest_key, _dotted),
    "django": (_unittest_key, _dotted),
}
