"""Values that could stand in a test as well as the one that stands there.

A value is told from a wrong one by what it has in common with the rest of what a reader knows: does
it occur elsewhere in the test, in the older test file, is it a piece of an input. So a wrong value
is the one that agrees with the right one in most of these marks. Among equals a keyed hash chooses.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

CHOICES = 2  # wrong values that are offered for one right one
TRIED = 30  # words that are tried in the place of another
LONGEST = 2000  # code points of a text whose pieces are moved
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_BUILTIN = ("ValueError", "TypeError", "KeyError", "AttributeError", "RuntimeError")


@dataclass
class Context:
    """What a reader of a test can compare a value with.

    Attributes:
        function: The test's source.
        file: Its file's source.
        old: The file in the older release, which the agent has; empty where there is none.
        key: Of the hashes; what the agent does not have, so that it cannot tell what was chosen.
    """

    function: str
    file: str
    old: str = ""
    key: str = ""
    _marks: dict[tuple[Any, ...], tuple[tuple[Any, ...], tuple[Any, ...]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self._here = _constants(self.function)
        self._there = _constants(self.file)
        self._before = _constants(self.old)
        self._texts = [_text(value) for value in self._here if isinstance(value, str | bytes)]
        texts = [_text(value) for value in self._there if isinstance(value, str | bytes)]
        self._words = sorted(
            {word for text in [*self._texts, *texts] for word in _WORD.findall(text[:LONGEST])},
            key=self._hashed,
        )

    def _hashed(self, text: str) -> str:
        whole = f"{self.key} {text} {self.function}"
        return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()

    def others(self, value: Any) -> list[Any]:
        """Return values of the type of `value` that are none of its equals, the likest first."""
        found: dict[str, Any] = {}
        texts = isinstance(value, str | bytes)
        for one in self._offered(value):
            # Nothing at all lies in everything, so it would pass for a piece of any text.
            if type(one) is type(value) and one != value and (one or not texts):
                found.setdefault(repr(one), one)
        own = self._marked(value)
        return sorted(
            found.values(),
            key=lambda one: (
                *map(_differing, own, self._marked(one)),
                self._hashed(f"{value!r} {one!r}"),
            ),
        )[:CHOICES]

    def _offered(self, value: Any) -> Iterator[Any]:
        if isinstance(value, bool):
            yield not value
        elif isinstance(value, int | float):
            yield from self._there
            yield from (
                value + step for step in (-3, -2, -1, 1, 2, 3) if (value + step < 0) == (value < 0)
            )
        elif isinstance(value, str | bytes):
            yield from self._there
            make = (
                (lambda t: t)
                if isinstance(value, str)
                else (lambda t: t.encode("latin-1", "replace"))
            )
            yield from map(make, _moved(_text(value)))
            yield from map(make, _exchanged(_text(value), self._words))
            for text in self._texts:
                yield from map(make, _PIECE.findall(text[:LONGEST]))

    def _marked(self, value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return what a reader can see of `value`: where else it occurs, and how it looks."""
        key = (type(value), value)
        if key in self._marks:
            return self._marks[key]
        text = _text(value)
        around = [one for one in self._texts if one != text]
        words = _WORD.findall(text)
        self._marks[key] = (
            (
                sum(type(v) is type(value) and v == value for v in self._here) > 1,
                any(text in one for one in around),
                any(_woven(text, one) for one in around),
                any(type(v) is type(value) and v == value for v in self._before),
                text in self.old,
                all(word in self.old for word in words),
                all(any(word in one for one in around) for word in words),
                _stutters(text),
            ),
            (
                len(_PIECE.findall(text)).bit_length(), len(text).bit_length(),
                text.isalnum(), text.islower(), text.isupper(), "  " in text,
                text[:1].isspace(), text[:1].isalnum(), text[:1].isupper(),
                text[-1:].isspace(), text[-1:].isalnum(),
                [text.count(c) for c in "([{<"] == [text.count(c) for c in ")]}>"],
            ),
        )  # fmt: skip
        return self._marks[key]

    def names(self, name: str) -> list[str]:
        """Return dotted names like `name` in the file: of the same root and length."""
        root, count = name.partition(".")[0], name.count(".")
        found = {
            ast.unparse(node)
            for node in ast.walk(ast.parse(self.file))
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        }
        like = [n for n in found if n.partition(".")[0] == root and n.count(".") == count]
        here = self.function.count
        return sorted(
            (n for n in like if n != name),
            key=lambda n: ((n in self.old) != (name in self.old),
                           (here(n) > 1) != (here(name) > 1), self._hashed(n)),
        )[:CHOICES]  # fmt: skip

    def exceptions(self, name: str) -> list[str]:
        """Return three exceptions other than `name`, builtin ones or not as it is, if there are."""
        said = re.findall(r"[rR]aises(?:Regexp?)?\(\s*([A-Za-z_][\w.]*)\s*[,)]", self.file)
        names = {*said, *_BUILTIN} - {name}
        return sorted(
            names,
            key=lambda n: (
                hasattr(builtins, n) != hasattr(builtins, name), n not in said, self._hashed(n)
            ),
        )[:3]  # fmt: skip


def _moved(text: str) -> Iterator[str]:
    """Yield texts with a piece of `text` left out, doubled or in its neighbour's place."""
    pieces = _PIECE.findall(text[:LONGEST])
    for at, piece in enumerate(pieces):
        head, tail = pieces[:at], pieces[at + 1 :]
        yield "".join([*head, *tail])
        yield "".join([*head, piece, piece, *tail])
        for other in (at + 1, at + 2):
            if other < len(pieces):
                mixed = list(pieces)
                mixed[at], mixed[other] = mixed[other], mixed[at]
                yield "".join(mixed)


def _exchanged(text: str, words: list[str]) -> Iterator[str]:
    """Yield `text` with a word of the same case from elsewhere in the place of one of its own."""
    pieces = _PIECE.findall(text[:LONGEST])
    for at, piece in enumerate(pieces):
        kind = (piece.isdigit(), piece.isalpha(), piece.islower(), piece.isupper())
        if not piece[0].isalnum():
            continue
        like = [w for w in words if (w.isdigit(), w.isalpha(), w.islower(), w.isupper()) == kind]
        for word in like[:TRIED]:
            yield "".join([*pieces[:at], word, *pieces[at + 1 :]])


def _differing(marks: tuple[Any, ...], others: tuple[Any, ...]) -> int:
    return sum(a != b for a, b in zip(marks, others, strict=True))


def _stutters(text: str) -> bool:
    """Tell whether a word or a sign stands there twice in a row."""
    pieces = [piece for piece in _PIECE.findall(text) if not piece.isspace()]
    twice = any(a == b for a, b in pairwise(pieces))
    return twice or re.search(r"(\w{2,})\1", text) is not None


def _constants(source: str) -> list[Any]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _woven(text: str, other: str) -> bool:
    """Tell whether `other` holds the letters of `text` in their order."""
    rest = iter(other)
    return all(letter in rest for letter in text)
