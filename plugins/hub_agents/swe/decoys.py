"""Decoys: forms of a test, some of which fail under the real fix, so that only a forgery passes.

A test asserts in a process that has loaded the code under test, so its outcome is a claim. A form
is the same test in the same file with one expectation written anew (`hub_agents.swe.forms`): some
forms hold under the real fix, the others do not, which mining proves. Code that makes tests pass
whatever they say (a patched pytest, objects equal to everything, an early exit, expectations read
out of the caller's frame) makes those pass too that must fail, and code that makes them fail when
in doubt fails those that must pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hub.errors import TaskError

RIGHT, NOT_WRONG, WRONG, NOT_RIGHT = "right", "not wrong", "wrong", "not right"
SAYS = (RIGHT, NOT_WRONG, WRONG, NOT_RIGHT)
KINDS = ("value", "raises", "turned")
Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Decoy:
    """One form of a test function.

    Attributes:
        function: `PATH::[Class::]function`.
        path: The file.
        edits: Offset of the first replaced code point, of the one after the last, and what takes
            their place.
        kind: `value` (an expected value), `raises` (an expected exception) or `turned` (the
            assertion alone).
        says: What the changed assertion asks: `right` as its authors do, `not wrong` that a wrong
            value is not met; those hold. `wrong` and `not right` do not.
        tests: Tests of that function that the real fix makes come out so, each with its name in
            this form.
        renames: Whether parameters are changed, which are part of tests' names.
    """

    function: str
    path: str
    edits: tuple[Edit, ...]
    kind: str
    says: str
    tests: tuple[tuple[str, str], ...] = ()
    renames: bool = False

    @property
    def holds(self) -> bool:
        """Whether it passes under the real fix; else it fails."""
        return self.says in (RIGHT, NOT_WRONG)

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
            edits = tuple((int(start), int(end), str(text)) for start, end, text in value["edits"])
            tests = tuple((str(test), str(name)) for test, name in value["tests"])
            found = cls(**{**value, "edits": edits, "tests": tests})
            if found.says not in SAYS:
                raise ValueError(f"says {found.says!r}, expected one of {', '.join(SAYS)}")
            return found
        except (TypeError, KeyError, ValueError) as error:
            raise TaskError(f"decoy {dict(value)!r:.80}: {error}") from error


def edited(source: str, decoys: list[Decoy]) -> str:
    """Return `source`, the text of their file, with `decoys` put in.

    Raises:
        TaskError: Two of them overlap or one lies outside.
    """
    last = len(source) + 1
    edits = [(edit, decoy.path) for decoy in decoys for edit in decoy.edits]
    for (start, end, text), path in sorted(edits, reverse=True):
        if not 0 <= start <= end < last or end > len(source):
            raise TaskError(f"decoys of {path} overlap or lie outside at {start}")
        source = source[:start] + text + source[end:]
        last = start + 1
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


def accountable(decoys: Iterable[Decoy]) -> set[str]:
    """Return the tests that stand in a form which must fail: code that cheats passes there too."""
    return {test for one in decoys if not one.holds for test, _ in one.tests}


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
