"""Decoys: a test with one wrong expectation, which only a forged run can make pass.

A test asserts in a process that has loaded the code under test, so its outcome is a claim. A decoy
is the same test in the same file under the same name, with an expected value that is wrong or an
assertion turned round; under the real fix it fails, which mining proves. Code that makes tests pass
whatever they say (a patched pytest, objects equal to everything, an early exit, expectations read
out of the caller's frame) makes decoys pass too.

What can be changed is found by the syntax tree alone, so equal sources give equal decoys.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hub.errors import TaskError

_OPPOSITE = {
    "assertEqual": "assertNotEqual", "assertTrue": "assertFalse", "assertIn": "assertNotIn",
    "assertIs": "assertIsNot", "assertIsNone": "assertIsNotNone", "assertRegex": "assertNotRegex",
    "assertIsInstance": "assertNotIsInstance", "assertAlmostEqual": "assertNotAlmostEqual",
    "assertGreater": "assertLessEqual", "assertLess": "assertGreaterEqual",
}  # fmt: skip
OPPOSITE = {**_OPPOSITE, **{other: one for one, other in _OPPOSITE.items()}}
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
KINDS = ("value", "turned", "raises", "helper")
_COMPARED = {
    *("assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual"),
    *("assertSequenceEqual", "assertMultiLineEqual", "assertSetEqual", "assertIs"),
}


@dataclass(frozen=True)
class Decoy:
    """One edit of a test function.

    Attributes:
        function: `PATH::[Class::]function`.
        path: The file.
        start: Offset of the first replaced code point, and `end`: after the last one.
        text: What takes their place.
        kind: `value` (another expected value), `turned` (the opposite assertion), `raises`
            (another expected exception) or `helper` (another last argument of a function that
            asserts).
        fails: Tests of that function that fail with it under the real fix, and pass without.
    """

    function: str
    path: str
    start: int
    end: int
    text: str
    kind: str
    fails: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Decoy:
        """Make a decoy of what `to_json` returned.

        Raises:
            TaskError: A field is missing or unknown.
        """
        try:
            return cls(**{**value, "fails": tuple(value["fails"])})
        except (TypeError, KeyError) as error:
            raise TaskError(f"decoy {dict(value)!r:.80}: {error}") from error


def edited(source: str, decoys: list[Decoy]) -> str:
    """Return `source`, the text of their file, with `decoys` put in.

    Raises:
        TaskError: Two of them overlap or one lies outside.
    """
    last = len(source) + 1
    for decoy in sorted(decoys, key=lambda d: d.start, reverse=True):
        if not 0 <= decoy.start <= decoy.end < last or decoy.end > len(source):
            raise TaskError(f"decoys of {decoy.path} overlap or lie outside at {decoy.start}")
        source = source[: decoy.start] + decoy.text + source[decoy.end :]
        last = decoy.start + 1
    return source


def overlaid(texts: Mapping[str, str], put: Iterable[Decoy]) -> dict[str, str]:
    """Return test files by path, with `put` in those that they are of."""
    edits, listed = dict(texts), list(put)
    for path in {one.path for one in listed}:
        edits[path] = edited(edits[path], [one for one in listed if one.path == path])
    return edits


def function_of(test: str) -> str:
    """Return a node id without the parameters: `PATH::[Class::]function`."""
    path, colons, inner = test.partition("::")
    return f"{path}{colons}{inner.partition('[')[0]}"


def candidates(function: str, source: str) -> list[Decoy]:
    """Return what could be a decoy of a test function, the best first; not proved to fail.

    Args:
        function: `PATH::[Class::]function`.
        source: Text of its file.
    """
    path, _, inner = function.partition("::")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    node = _find(tree, inner.split("::"))
    if node is None:
        return []
    at = Places(source)
    found: dict[tuple[int, int, str], Decoy] = {}
    for inside in ast.walk(node):
        for start, end, text, kind in _edits(inside, at):
            found.setdefault((start, end, text), Decoy(function, path, start, end, text, kind))
    # Wrong values first: what is equal to everything fails the turned ones by itself. Then the
    # last assertion first: those before it have to pass for it to be reached.
    order = {kind: rank for rank, kind in enumerate(KINDS)}
    return sorted(found.values(), key=lambda d: (order[d.kind], -d.start, d.end, d.text))


def _find(tree: ast.AST, names: list[str]) -> ast.AST | None:
    for name in names:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        inner = [n for n in ast.iter_child_nodes(tree) if isinstance(n, kinds) and n.name == name]
        if not inner:
            return None
        tree = inner[-1]  # the last definition is the one that counts
    return tree


class Places:
    """Offsets in code points of what the syntax tree counts in lines and UTF-8 bytes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lines = source.split("\n")
        self._begins = [0]
        for line in self._lines:
            self._begins.append(self._begins[-1] + len(line) + 1)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = self.offset(node.lineno, node.col_offset)
        return begin, self.offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return a node's text."""
        start, end = self.span(node)
        return self.source[start:end]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line (from 1) and a column (in bytes)."""
        raw = self._lines[line - 1].encode("utf-8")[:column]
        return self._begins[line - 1] + len(raw.decode("utf-8", "ignore"))


_Edit = tuple[int, int, str, str]


def _edits(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.Assert):
        start, end = at.span(node.test)
        yield start, end, f"not ({at.text(node.test)})", "turned"
        if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Eq | ast.Is):
            yield from _wrong(node.test.comparators[-1], at)
            yield from _wrong(node.test.left, at, constants_only=True)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if isinstance(node.value.func, ast.Name) and node.value.args:
            for start, end, text, _ in _constants(node.value.args[-1], at):
                yield start, end, text, "helper"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in OPPOSITE:
            _, end = at.span(node.func)
            yield end - len(name), end, OPPOSITE[name], "turned"
        if name in _RAISES and node.args:
            other = "ZeroDivisionError" if "Zero" not in at.text(node.args[0]) else "KeyError"
            yield *at.span(node.args[0]), other, "raises"
        if name in _COMPARED and len(node.args) >= 2:
            yield from _wrong(node.args[1], at)
            yield from _wrong(node.args[0], at, constants_only=True)


def _wrong(expected: ast.expr, at: Places, constants_only: bool = False) -> Iterator[_Edit]:
    """Yield edits that make an expected value another one of the same type."""
    if _is_literal(expected):
        yield from _constants(expected, at)
    elif not constants_only:
        start, end = at.span(expected)
        text = at.text(expected)
        yield start, end, f"({text}) + ({text})", "value"


def _constants(expected: ast.AST, at: Places) -> Iterator[_Edit]:
    """Yield edits of the constants inside, but for those in f-strings.

    Where those lie is told otherwise from one version of Python to the next.
    """
    if isinstance(expected, ast.Constant):
        text = _other(expected.value)
        if text is not None:
            yield *at.span(expected), text, "value"
    if not isinstance(expected, ast.JoinedStr):
        for child in ast.iter_child_nodes(expected):
            yield from _constants(child, at)


def _is_literal(node: ast.expr) -> bool:
    """Tell whether a value is written out; a call of `dict` with such arguments counts."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Dict):
        return all(k is not None and _is_literal(k) for k in node.keys) and all(
            map(_is_literal, node.values)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return all(map(_is_literal, node.args)) and all(_is_literal(k.value) for k in node.keywords)
    return isinstance(node, ast.UnaryOp) and _is_literal(node.operand)


def _other(value: Any) -> str | None:
    """Return the source of a value near `value`, of its type; None where there is none."""
    if value is None:
        return "''"
    if isinstance(value, bool):
        return repr(not value)
    if isinstance(value, int | float):
        return repr(value + 1)
    if isinstance(value, str):
        return repr(_swapped(value))
    if isinstance(value, bytes):
        return repr(_swapped(value.decode("latin-1")).encode("latin-1"))
    return None


def _swapped(text: str) -> str:
    """Return `text` with another last letter or digit, or one more where it has none."""
    for at in range(len(text) - 1, -1, -1):
        letter = text[at]
        if letter.isascii() and letter.isalnum():
            other = {"z": "a", "Z": "A", "9": "0"}.get(letter, chr(ord(letter) + 1))
            return text[:at] + other + text[at + 1 :]
    return f"{text}s"
