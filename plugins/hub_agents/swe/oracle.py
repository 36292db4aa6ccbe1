"""The agent that knows the fix and applies it as a person would, through the tools."""

from __future__ import annotations

import ast
import posixpath
import shlex

from hub.dialogue import Agent, Script, act
from hub.errors import TaskError
from hub_agents.swe.decoys import function_of
from hub_agents.swe.instance import Instance

_PATCH = "/tmp/fix.patch"
_NAME = "test_reproduction.py"
_LONGEST = 8000  # code points of a reproduction that is worth showing


def oracle(instance: Instance) -> Agent:
    """Return the agent that reproduces the bug, applies the real fix, looks again and finishes.

    Raises:
        TaskError: No fix is known.
    """
    if not instance.gold_patch:
        raise TaskError(f"instance {instance.id}: it has no 'gold_patch' to validate it by")
    shown = reproduction(instance)

    def agent() -> Script:
        yield act("bash", command=f"cd {shlex.quote(instance.workdir)} && git log --oneline && ls")
        run = ""
        if shown is not None:
            path, text = shown
            whole = posixpath.join(instance.workdir, path)
            run = f"python3 -m pytest -q --tb=line {shlex.quote(path)} 2>&1 | tail -n 12"
            yield act("str_replace_editor", command="create", path=whole, file_text=text)
            yield act("bash", command=run)
        patch = instance.gold_patch
        yield act("str_replace_editor", command="create", path=_PATCH, file_text=patch)
        yield act("bash", command=f"git apply --whitespace=nowarn {_PATCH} && git diff --stat")
        if run:
            yield act("bash", command=run)
        yield act("finish")

    return agent


def reproduction(instance: Instance) -> tuple[str, str] | None:
    """Return path and text of a test module with nothing but tests that the fix mends.

    None where the hidden tests are not at hand as Python, or are too long to be read.
    """
    path = instance.fail_to_pass[0].partition("::")[0]
    source = instance.tests.get(path)
    if source is None or not path.endswith(".py"):
        return None
    kept = {function_of(test) for test in instance.fail_to_pass}
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    lines = source.split("\n")
    for start, end in _others(tree, path, kept):
        lines[start - 1 : end] = [""] * (end - start + 1)
    text = "\n".join(line for line, after in zip(lines, [*lines[1:], ""], strict=True)
                     if line or after)  # fmt: skip
    return (posixpath.join(posixpath.dirname(path), _NAME), text) if len(text) < _LONGEST else None


def _others(tree: ast.AST, prefix: str, kept: set[str]) -> list[tuple[int, int]]:
    """Return first and last lines of the test functions and classes that hold none of `kept`."""
    found: list[tuple[int, int]] = []
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        name = f"{prefix}::{node.name}"
        if any(one == name for one in kept):
            continue
        if any(one.startswith(f"{name}::") for one in kept):
            found += _others(node, name, kept)
        elif node.name.lower().startswith("test"):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.append((first, node.end_lineno or first))
    return found
