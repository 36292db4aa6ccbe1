"""Recognisers: guesses whether a form of a test holds, by its text and the test file that is known.

Grading rests on their being wrong; `hub tasks validate` plays them as a cheat
(`hub_agents.swe.cheats`), which runs this file's text on whatever Python a sandbox has: so it uses
the standard library alone. `python -m hub_agents.swe.recognise` measures them on the catalogue.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Recogniser = Callable[[str, str, str], bool]

BUILTIN = set(dir(builtins))


def found(source: str, name: str) -> Any:
    """Return the definition of a test function, `[Class::]name`; None where there is none."""
    node: Any = ast.parse(source)
    for part in name.split("::"):
        inner = [n for n in ast.iter_child_nodes(node) if getattr(n, "name", "") == part]
        if not inner:
            return None
        node = inner[-1]
    return node


def statements(node: Any, old: str) -> list[Any]:
    """Return the assertions that the older file does not have, or all of them."""
    kinds = (ast.Assert, ast.Expr, ast.Assign, ast.Try)
    mine = [n for n in ast.walk(node) if isinstance(n, kinds)]
    return [n for n in mine if ast.dump(n) not in dumps(old)] or mine


@lru_cache(maxsize=8)
def dumps(old: str) -> frozenset[str]:
    """Return the nodes of a file, as texts."""
    return frozenset(map(ast.dump, ast.walk(ast.parse(old)))) if old else frozenset()


def negative(nodes: list[Any]) -> bool:
    """Tell whether an assertion rules something out."""
    for n in nodes:
        if isinstance(n, ast.Try):
            return True
        for inside in ast.walk(n):
            if isinstance(inside, (ast.NotEq, ast.NotIn, ast.IsNot, ast.Not)):
                return True
            if isinstance(inside, ast.Attribute) and re.match("assert(Not|IsNot)", inside.attr):
                return True
    return False


def values(nodes: list[Any]) -> list[str]:
    """Return the constants of statements, as texts."""
    inside = [i for n in nodes for i in ast.walk(n) if isinstance(i, ast.Constant)]
    return [as_text(i.value) for i in inside]


def as_text(value: Any) -> str:
    """Return a constant as a text."""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def woven(text: str, other: str) -> bool:
    """Tell whether `other` holds the letters of `text` in their order."""
    rest = iter(other)
    return all(letter in rest for letter in text)


def by_polarity(source: str, name: str, old: str) -> bool:
    """Guess that what asks for something holds, and what rules something out does not."""
    return not negative(statements(found(source, name), old))


def by_marks(source: str, name: str, old: str) -> bool:
    """Guess by what clumsy edits leave: neighbours of values, sums of equals, odd exceptions."""
    node = found(source, name)
    text = ast.unparse(node) if hasattr(ast, "unparse") else source
    if "ZeroDivision" in text or "assert not " in text or "assertNot" in text:
        return False
    for n in ast.walk(node):
        if isinstance(n, ast.BinOp) and ast.dump(n.left) == ast.dump(n.right):
            return False
        number = n.value if isinstance(n, ast.Constant) and type(n.value) is int else 0
        if number > 9 and str(number - 1) in text:
            return False
        if isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes)):
            value = as_text(n.value)
            last = list(re.finditer("[A-Za-z0-9]", value))[-1:]
            for m in last:
                before = value[: m.start()] + chr(ord(m.group()) - 1) + value[m.end() :]
                if len(before) > 3 and before in text:
                    return False
    return True


def by_place(source: str, name: str, old: str) -> bool:
    """Guess that a value is right that stands elsewhere in the test or in the older file."""
    node = found(source, name)
    mine = statements(node, old)
    around = [as_text(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)]
    right = all(
        value in old or sum(value in one for one in around) > 1 for value in values(mine)[-4:]
    )
    return right != negative(mine)


def by_weaving(source: str, name: str, old: str) -> bool:
    """Guess that a value is right whose letters stand in order in another text of the test."""
    node = found(source, name)
    mine = statements(node, old)
    around = [as_text(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)]
    right = all(sum(woven(value, one) for one in around) > 1 for value in values(mine)[-4:])
    return right != negative(mine)


def by_words(source: str, name: str, old: str) -> bool:
    """Guess that a value is right all of whose words are known, and none of them twice."""
    node = found(source, name)
    mine = statements(node, old)
    known = set(re.findall(r"\w+", old)) or set(re.findall(r"\w+", source))
    right = True
    for value in values(mine)[-4:]:
        words = re.findall(r"\w+", value)
        right = right and set(words) <= known
        right = right and not any(words[at] == words[at - 1] for at in range(1, len(words)))
    return right != negative(mine)


def printed(node: Any, source: str) -> list[Any]:
    """Return the statements that are written as a machine prints them: one of them is changed."""
    kinds = (ast.Assert, ast.Expr, ast.Assign, ast.Try)
    mine = [n for n in ast.walk(node) if isinstance(n, kinds)]
    texts = [(n, ast.get_source_segment(source, n) or "") for n in mine]
    return [n for n, text in texts if ast.unparse(n) == text.replace("\n    ", "\n")]


def by_site(source: str, name: str, old: str) -> bool:
    """Guess by the changed assertion alone: its last value stands elsewhere, or a part of it."""
    node = found(source, name)
    fresh = statements(node, old)
    mine = [n for n in printed(node, source) if n in fresh] or fresh
    last = max(mine, key=lambda n: n.lineno)
    texts = values([last])
    around = [v for v in values([node]) if v not in texts]
    pieces = [piece for v in texts for piece in re.findall(r"\w+|[^\w\s]", v)]
    right = all(any(piece in one for one in [*around, old]) for piece in pieces)
    return right != negative([last])


def by_exceptions(source: str, name: str, old: str) -> bool:
    """Guess that the package's own exceptions are right; else by what stands elsewhere."""
    calls = [n for n in ast.walk(found(source, name)) if isinstance(n, ast.Call) and n.args]
    for n in calls:
        expects = getattr(n.func, "attr", "") in ("raises", "assertRaises")
        if expects and isinstance(n.args[0], ast.Tuple):
            return any(getattr(e, "id", "") not in BUILTIN for e in n.args[0].elts)
    return by_place(source, name, old)


def by_vote(source: str, name: str, old: str) -> bool:
    """Guess what most of the others that look at values do."""
    some = (by_place, by_weaving, by_words, by_exceptions, by_polarity)
    return sum(one(source, name, old) for one in some) > len(some) // 2


RECOGNISERS = (
    by_marks, by_polarity, by_place, by_weaving, by_words, by_site, by_exceptions, by_vote,
)  # fmt: skip


def measured(row: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Return of each recogniser the forms that it tells and how many there are.

    Args:
        row: Of the catalogue; forms of its fail-to-pass tests count.
    """
    from hub_agents.swe import catalogue, decoys

    instance, old = catalogue.built(row), catalogue.old_texts(row)
    fixed = {decoys.function_of(test) for test in instance.fail_to_pass}
    forms = [d for d in map(decoys.Decoy.from_json, instance.decoys) if d.function in fixed]
    found = []
    for guess in RECOGNISERS:
        right = 0
        for one in forms:
            text = decoys.edited(instance.tests[one.path], [one])
            name = one.function.partition("::")[2]
            right += guess(text, name, old.get(one.path, "")) == one.holds
        found.append((guess.__name__, right, len(forms)))
    return found


def _main() -> None:
    from hub.dialogue import read_rows
    from hub_agents.swe import catalogue

    for row in read_rows(catalogue.ROWS):
        for name, right, count in measured(row):
            print(f"{row['id']:24} {name:14} {right} of {count}")


if __name__ == "__main__":
    _main()
