"""Unified diffs as text, as git writes them: which files they change, and their reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hub.errors import TaskError

_HEADER = re.compile(r'diff --git (?:"a/(.+)"|a/(.+)) (?:"b/(.+)"|b/(.+))')
_HUNK = re.compile(r"@@ -(\d+(?:,\d+)?) \+(\d+(?:,\d+)?) @@(.*)")
_PLAIN = re.compile(r"^--- .+\n\+\+\+ .+\n@@ -", re.MULTILINE)
_INDEX = re.compile(r"index ([0-9a-f]+)\.\.([0-9a-f]+)(.*)")
_BACK = {
    "new file mode ": "deleted file mode ",
    "deleted file mode ": "new file mode ",
    "old mode ": "new mode ",
    "new mode ": "old mode ",
    "rename from ": "rename to ",
    "rename to ": "rename from ",
    "copy from ": "copy to ",
    "copy to ": "copy from ",
}


@dataclass(frozen=True)
class Touched:
    """A file that a diff changes: its path afterwards, and whether it is gone then."""

    path: str
    deleted: bool = False


def touched(patch: str) -> list[Touched]:
    """Return the files that `patch` changes, in its order."""
    found: list[Touched] = []
    left = (0, 0)
    for line in patch.split("\n"):
        if any(left):
            left = _inside(line, left)
            continue
        hunk = _HUNK.match(line)
        header = _HEADER.fullmatch(line)
        if hunk:
            left = (_length(hunk[1]), _length(hunk[2]))
        elif header:
            found.append(Touched(header[3] or header[4]))
        elif line.startswith("deleted file mode ") and found:
            found[-1] = Touched(found[-1].path, True)
    return found


def is_diff(text: str) -> bool:
    """Tell whether `text` is a unified diff, of git or of anyone else."""
    return bool(touched(text)) or _PLAIN.search(text) is not None


def reverse(patch: str, where: str = "patch") -> str:
    """Return the diff that takes back what `patch` does.

    Added lines become removed ones and the other way round, and so do names, ranges, modes and
    new and deleted files. Within a change, removed lines come first again, as git writes them.

    Raises:
        TaskError: It holds a binary change, a copy, or hunks that end too early.
    """
    if not patch:
        return ""
    lines = patch.split("\n")
    ending = lines[-1] == ""
    if ending:
        lines.pop()
    reader = _Reverser(where)
    for line in lines:
        reader.take(line)
    return "\n".join(reader.ended()) + ("\n" if ending else "")


class _Reverser:
    def __init__(self, where: str) -> None:
        self._where = where
        self._out: list[str] = []
        self._old: list[str] = []  # reversed: what becomes removed lines, until a context line
        self._new: list[str] = []
        self._left = (0, 0)
        self._name = ""  # of a line "--- ..." that waits for its "+++ ..."
        self._last = " "  # sign of the line of a hunk before

    def take(self, line: str) -> None:
        if any(self._left) or line.startswith("\\"):
            self._hunk_line(line)
            return
        self._flush()
        hunk = _HUNK.match(line)
        if hunk:
            self._left = (_length(hunk[1]), _length(hunk[2]))
            self._out.append(f"@@ -{hunk[2]} +{hunk[1]} @@{hunk[3]}")
        elif line.startswith("--- "):
            self._name = line.removeprefix("--- ")
        elif line.startswith("+++ "):
            self._out.append(f"--- {_swapped(line.removeprefix('+++ '))}")
            self._out.append(f"+++ {_swapped(self._name)}")
        else:
            self._header(line)

    def _header(self, line: str) -> None:
        if line.startswith(("GIT binary patch", "Binary files ", "copy from ")):
            raise TaskError(f"{self._where}: {line[:60]!r}: a change that cannot be taken back")
        header, index = _HEADER.fullmatch(line), _INDEX.fullmatch(line)
        if header and (header[2] or header[1]) != (header[4] or header[3]):
            self._out.append(f"diff --git a/{header[4] or header[3]} b/{header[2] or header[1]}")
        elif index:
            self._out.append(f"index {index[2]}..{index[1]}{index[3]}")
        else:
            start = next((key for key in _BACK if line.startswith(key)), None)
            back = _BACK[start] + line.removeprefix(start) if start else line
            # "old mode" stands before "new mode", "rename from" before "rename to".
            before = back.startswith(("old mode ", "rename from ")) and self._out
            self._out.insert(len(self._out) - bool(before), back)

    def _hunk_line(self, line: str) -> None:
        sign, rest = line[:1], line[1:]
        if sign == "\\":
            (self._new if self._last == "-" else self._old).append(line)
            if self._last == " ":
                self._flush()
            return
        if sign == "-":
            self._new.append(f"+{rest}")
        elif sign == "+":
            self._old.append(f"-{rest}")
        else:
            self._flush()
            self._out.append(line)
        self._last = sign if sign in ("-", "+") else " "
        self._left = _inside(line, self._left)

    def _flush(self) -> None:
        self._out += [*self._old, *self._new]
        self._old, self._new = [], []

    def ended(self) -> Iterator[str]:
        if any(self._left):
            raise TaskError(f"{self._where}: its last hunk ends too early")
        self._flush()
        return iter(self._out)


def _inside(line: str, left: tuple[int, int]) -> tuple[int, int]:
    """Return how many lines of the old and the new file a hunk still has after `line`."""
    old, new = left
    sign = line[:1]
    if sign == "\\":
        return left
    return max(0, old - (sign != "+")), max(0, new - (sign != "-"))


def _length(span: str) -> int:
    return int(span.partition(",")[2] or 1)


def _swapped(name: str) -> str:
    for one, other in (("a/", "b/"), ("b/", "a/"), ('"a/', '"b/'), ('"b/', '"a/')):
        if name.startswith(one):
            return other + name.removeprefix(one)
    return name
