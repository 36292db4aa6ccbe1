"""Forms of a test: one assertion with a right or a wrong value, asked for or ruled out.

`assert f() == RIGHT` and `assert f() != WRONG` hold under the real fix, `== WRONG` and `!= RIGHT`
do not. All four are printed the same way. So neither the value nor the operator tells a form that
holds from one that does not: that takes knowing which value is the right one. Where an exception
is expected, the forms name several, with or without the right one.

Forms are found by the syntax tree alone, so equal sources give equal ones.
"""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hub_agents.swe.alike import Context
from hub_agents.swe.decoys import NOT_RIGHT, NOT_WRONG, RIGHT, WRONG, Decoy, Edit, Places

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Lt: ast.GtE, ast.GtE: ast.Lt,
    ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip
_PAIRS = (
    ("assertEqual", "assertNotEqual"), ("assertTrue", "assertFalse"), ("assertIn", "assertNotIn"),
    ("assertIs", "assertIsNot"), ("assertIsNone", "assertIsNotNone"),
    ("assertRegex", "assertNotRegex"), ("assertIsInstance", "assertNotIsInstance"),
    ("assertAlmostEqual", "assertNotAlmostEqual"), ("assertGreater", "assertLessEqual"),
    ("assertLess", "assertGreaterEqual"),
)  # fmt: skip
_OPPOSITE = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}
# What compares in the same way under other names, and has no opposite of its own.
_SAME = dict.fromkeys(
    ("assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual",
     "assertSequenceEqual", "assertMultiLineEqual"), "assertEqual",
)  # fmt: skip
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class _Value:
    """A place in the test that holds an expectation, and the source of a wrong one for each."""

    wrong: dict[ast.expr, str]
    asserted: tuple[ast.stmt, ...]
    held: ast.stmt | None = None  # the assignment that holds it, if no assertion does
    table: bool = False  # it lies in the parameters of the test


def candidates(function: str, source: str, old: str = "", key: str = "") -> list[list[Decoy]]:
    """Return groups of forms of a test function, the best group first; nothing is proved.

    Args:
        function: `PATH::[Class::]function`.
        source: Text of its file.
        old: What the agent has in that file's place: what it holds is known to be right, so other
            assertions go first.
        key: What chooses among wrong values: the fix, which the agent does not have.
    """
    inner = function.partition("::")[2]
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    node = _find(tree, inner.split("::"))
    if not isinstance(node, _Definition):
        return []
    return _Forms(function, tree, node, Context(ast.unparse(node), source, old, key)).groups()


def _find(tree: ast.AST, names: list[str]) -> ast.AST | None:
    for name in names:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        inner = [n for n in ast.iter_child_nodes(tree) if isinstance(n, kinds) and n.name == name]
        if not inner:
            return None
        tree = inner[-1]  # the last definition is the one that counts
    return tree


class _Forms:
    def __init__(
        self, function: str, tree: ast.Module, node: _Definition, context: Context
    ) -> None:
        self._function, self._node, self._context = function, node, context
        self._path = function.partition("::")[0]
        self._at = Places(context.file)
        self._known = _known(context.old)
        self._asserted = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and _asserts(n)]
        self._helpers = {
            n.name for n in ast.walk(tree)
            if isinstance(n, ast.FunctionDef) and any(map(_checks, ast.walk(n)))
        }  # fmt: skip
        self._asserted = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and _asserts(n)]

    def groups(self) -> list[list[Decoy]]:
        """Return all groups: of values and exceptions that the agent does not know first."""
        found: list[tuple[tuple[int, ...], list[Decoy]]] = []
        for value in self._values():
            known = self._is_known((self._node,) if value.table else value.asserted)
            kind = 2 if any(map(self._is_foreign, value.asserted)) else 0
            found.append(((known, kind, -value.asserted[-1].lineno), self._four(value)))
        for statement in ast.walk(self._node):
            for call in _raising(statement):
                known = self._is_known((statement,))
                found.extend(((known, 1, -call.lineno), one) for one in self._exceptions(call))
        for statement in self._asserted:
            if not _is_helper(statement):
                known = self._is_known((statement,))
                found.append(((2 + known, 3, -statement.lineno), self._two(statement)))
        found.sort(key=lambda pair: pair[0])
        return [group for _, group in found]

    def _is_foreign(self, statement: ast.stmt) -> bool:
        """Tell whether a statement calls what is not known to assert."""
        return _is_helper(statement) and statement.value.func.id not in self._helpers  # type: ignore[attr-defined]  # as `_is_helper` says

    def _is_known(self, nodes: Sequence[ast.AST]) -> int:
        return int(all(ast.dump(node) in self._known for node in nodes))

    def _values(self) -> Iterator[_Value]:
        for statement in self._asserted:
            for side in _sides(statement):
                for node, wrong in self._wrong(side):
                    yield _Value({node: wrong}, (statement,))
                for name in {n.id for n in ast.walk(side) if isinstance(n, ast.Name)}:
                    using = tuple(
                        s for s in self._asserted if any(_mentions(x, name) for x in _sides(s))
                    )
                    yield from self._held(name, using)

    def _wrong(self, side: ast.expr) -> Iterator[tuple[ast.expr, str]]:
        """Yield each constant or dotted name of an expected value with a source of another one."""
        if isinstance(side, ast.Attribute) and _is_dotted(side):
            yield from ((side, other) for other in self._context.names(ast.unparse(side)))
        for node in _leaves(side):
            yield from ((node, repr(other)) for other in self._context.others(node.value))

    def _held(self, name: str, using: tuple[ast.stmt, ...]) -> Iterator[_Value]:
        """Yield what a name holds that is assigned once, or is a parameter of the test."""
        sets = [
            n for n in ast.walk(self._node)
            if isinstance(n, ast.Assign) and any(_mentions(t, name) for t in n.targets)
        ]  # fmt: skip
        if len(sets) == 1 and len(sets[0].targets) == 1 and _is_literal(sets[0].value):
            for node, wrong in self._wrong(sets[0].value):
                yield _Value({node: wrong}, using, sets[0])
        listed = _parameters(self._node, name)
        # Rows that the agent has are known to be right.
        new = [row for row, value in listed if ast.dump(row) not in self._known]
        rows = [value for row, value in listed if not new or row in new]
        wrongs: dict[ast.expr, str] = {}
        for row in rows:
            first = next(self._wrong(row), None)
            if first:
                wrongs[first[0]] = first[1]
        if wrongs and len(wrongs) == len(rows):
            yield _Value(wrongs, using, table=True)

    def _four(self, value: _Value) -> list[Decoy]:
        return [
            self._form(
                "value", says, self._edits(value, says in (WRONG, NOT_WRONG), turned), value.table
            )
            for says, turned in (
                (RIGHT, False),
                (NOT_WRONG, True),
                (WRONG, False),
                (NOT_RIGHT, True),
            )
        ]

    def _edits(self, value: _Value, wrong: bool, turned: bool) -> Iterator[Edit]:
        if value.table:
            for node, other in value.wrong.items():
                text = other if wrong else ast.unparse(node)
                yield *self._at.span(node), text
        put = value.wrong if wrong and not value.table else {}
        if value.held is not None:
            yield (
                *self._at.span(value.held),
                ast.unparse(_Put(put).visit(copy.deepcopy(value.held))),
            )
        for statement in value.asserted:
            yield (
                *self._at.span(statement),
                _said(_Put(put).visit(copy.deepcopy(statement)), turned),
            )

    def _two(self, statement: ast.stmt) -> list[Decoy]:
        span = self._at.span(statement)
        return [
            self._form("turned", says, [(*span, _said(copy.deepcopy(statement), turned))])
            for says, turned in ((RIGHT, False), (NOT_RIGHT, True))
        ]

    def _exceptions(self, call: ast.Call) -> Iterator[list[Decoy]]:
        expected = call.args[0]
        if not isinstance(expected, ast.Name | ast.Attribute):
            return
        right = ast.unparse(expected)
        one, two, three = self._context.exceptions(right)
        pairs = {
            RIGHT: (right, one),
            NOT_WRONG: (right, two),
            WRONG: (one, two),
            NOT_RIGHT: (two, three),
        }
        span = self._at.span(expected)
        yield [
            self._form("raises", says, [(*span, f"({', '.join(sorted(pair))})")])
            for says, pair in pairs.items()
        ]

    def _form(self, kind: str, says: str, edits: Iterable[Edit], renames: bool = False) -> Decoy:
        indented = []
        for start, end, text in edits:
            line = self._at.source.rfind("\n", 0, start) + 1
            blank = self._at.source[line:start]
            rest = (
                textwrap.indent(text, blank).lstrip()
                if "\n" in text and not blank.strip()
                else text
            )
            indented.append((start, end, rest))
        return Decoy(
            self._function, self._path, tuple(sorted(indented)), kind, says, renames=renames
        )


class _Put(ast.NodeTransformer):
    """Puts sources in the place of nodes, which it knows by where they lie."""

    def __init__(self, put: dict[ast.expr, str]) -> None:
        self._put = {_where(node): text for node, text in put.items()}

    def visit(self, node: ast.AST) -> ast.AST:
        text = self._put.get(_where(node)) if isinstance(node, ast.expr) else None
        if text is not None:
            return ast.parse(text, mode="eval").body
        return super().generic_visit(node)


def _where(node: ast.expr) -> tuple[object, ...]:
    return type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _known(source: str) -> set[str]:
    """Return the statements of a file, and the rows of parameters."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    kinds = (ast.stmt, ast.Tuple, ast.List, ast.Constant)
    return {ast.dump(node) for node in ast.walk(tree) if isinstance(node, kinds)}


def _checks(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and (_name(node) in _OPPOSITE or _name(node) in _RAISES)
    )


def _raising(statement: ast.AST) -> list[ast.Call]:
    """Return the calls of a statement, but for its body's, that expect an exception."""
    if isinstance(statement, ast.With | ast.AsyncWith):
        inside: list[ast.expr] = [item.context_expr for item in statement.items]
    elif isinstance(statement, ast.Expr | ast.Assign):
        inside = [statement.value]
    else:
        return []
    calls = [n for one in inside for n in ast.walk(one) if isinstance(n, ast.Call)]
    return [call for call in calls if _name(call) in _RAISES and call.args]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_helper(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
    )


def _asserts(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = _name(statement.value)
        return _is_helper(statement) or _SAME.get(name, name) in _OPPOSITE
    return isinstance(statement, ast.Assert)


def _sides(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions of an assertion that may hold the expected value, the likest first."""
    if isinstance(statement, ast.Assert):
        test = statement.test
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return []
        both = [test.comparators[0], test.left]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        both = statement.value.args[-1:] if _is_helper(statement) else statement.value.args[1::-1]
        if _is_helper(statement):
            return both
    else:
        return []
    return [side for side in both if _is_plain(side)] or both[:1]


def _is_plain(node: ast.expr) -> bool:
    """Tell whether an expression calls nothing but `dict`: what calls is what is tested."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return all(isinstance(c.func, ast.Name) and c.func.id == "dict" for c in calls)


def _is_literal(node: ast.expr) -> bool:
    return _is_plain(node) and not any(
        isinstance(n, ast.Name) and n.id != "dict" for n in ast.walk(node)
    )


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _leaves(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the constants inside, but for those in f-strings: their place varies by version."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.Dict):  # a key that is there twice gives itself away
        for value in node.values:
            yield from _leaves(value)
    elif not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _leaves(child)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _parameters(node: _Definition, name: str) -> list[tuple[ast.expr, ast.expr]]:
    """Return the rows of `pytest.mark.parametrize` with the value for `name` in each."""
    for mark in node.decorator_list:
        if not (
            isinstance(mark, ast.Call) and _name(mark) == "parametrize" and len(mark.args) == 2
        ):
            continue
        names = _listed(mark.args[0])
        if name not in names or not isinstance(mark.args[1], ast.List | ast.Tuple):
            continue
        rows = mark.args[1].elts
        if len(names) == 1:
            return [(row, row) for row in rows]
        at = names.index(name)
        some = [row for row in rows if isinstance(row, ast.Tuple | ast.List)]
        return [(row, row.elts[at]) for row in some if len(row.elts) > at]
    return []


def _listed(node: ast.expr) -> list[str]:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return [name.strip() for text in texts for name in str(text).split(",") if name.strip()]


def _said(statement: ast.AST, turned: bool) -> str:
    """Return the source of an assertion, or of its opposite, in one way for all."""
    if isinstance(statement, ast.Assert):
        test = statement.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            if turned:
                test.ops = [_TURNED[type(test.ops[0])]()]
        elif turned:
            statement.test = ast.UnaryOp(ast.Not(), test)
        return ast.unparse(statement)
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    if _is_helper(statement):
        call = ast.unparse(statement)
        inverse = (
            f"try:\n    {call}\nexcept AssertionError:\n    pass\nelse:\n    raise AssertionError"
        )
        return inverse if turned else call
    called = statement.value.func
    assert isinstance(called, ast.Attribute)
    called.attr = _SAME.get(called.attr, called.attr)
    if turned:
        called.attr = _OPPOSITE[called.attr]
    return ast.unparse(statement)
