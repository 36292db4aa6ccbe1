"""Small bugs, put into Python sources by their syntax tree and nothing else.

An edit replaces one span of the text, so formatting and comments stay. What can be changed is found
in the bodies of functions; docstrings, annotations, decorators and formatted texts are left alone.
Every mutation that is handed out parses and gives another syntax tree.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hub_agents.swe.decoys import Places

_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"), ast.In: ("in", "not in"), ast.NotIn: (r"not\s+in", "in"),
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"), ast.Sub: ("-", "+"), ast.Mult: (r"\*", "+"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"), ast.Mod: ("%", "//"), ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}  # fmt: skip
# Wrong order there is an error of types, which says nothing of the code.
_ORDERED = {"isinstance", "issubclass", "getattr", "hasattr", "setattr"}
_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_SKIPPED = {"decorator_list", "annotation", "returns"}
_Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Mutation:
    """One edit.

    Attributes:
        operator: What kind it is, such as `compare` or `off by one`.
        start: Offset of the first replaced code point, and `end`: after the last one.
        text: What takes their place.
        line: Of the source, from 1.
    """

    operator: str
    start: int
    end: int
    text: str
    line: int


def applied(source: str, mutation: Mutation) -> str:
    """Return `source` with the mutation in it."""
    return source[: mutation.start] + mutation.text + source[mutation.end :]


def mutations(source: str, seed: int | str = 0) -> Iterator[Mutation]:
    """Yield the mutations of a module in an order that `seed` chooses.

    A source that does not parse has none. Each one parses and differs as a syntax tree.
    """
    found = candidates(source)
    random.Random(str(seed)).shuffle(found)
    if not found:
        return
    tree = ast.dump(ast.parse(source))
    for one in found:
        try:
            if ast.dump(ast.parse(applied(source, one))) != tree:
                yield one
        except (SyntaxError, ValueError, RecursionError):
            continue  # the span was no whole expression where it stands


def candidates(source: str) -> list[Mutation]:
    """Return all edits in order of their place; some may not parse or may change nothing."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    at = Places(source)
    found = {
        Mutation(operator, start, end, text, source.count("\n", 0, start) + 1)
        for node in _inside_functions(tree)
        for operator, edits in _OPERATORS.items()
        for start, end, text in edits(node, at)
    }
    return sorted(found, key=lambda m: (m.start, m.end, m.operator, m.text))


def _inside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes whose text may be changed."""
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, inside = stack.pop()
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if inside or function:
            yield node
        for name, value in ast.iter_fields(node):
            if name in _SKIPPED or (function and name == "args"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _left_alone(child):
                    stack.append((child, inside or function))


def _left_alone(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.JoinedStr | ast.Assert)


def _between(
    first: ast.expr, second: ast.expr, at: Places, token: str, new: str
) -> Iterator[_Edit]:
    """Replace the operator between two operands; parentheses may stand beside it."""
    start, end = at.span(first)[1], at.span(second)[0]
    gap = at.source[start:end]
    found = re.search(rf"(?<![\w=<>!*/]){token}(?![\w=<>*/])", gap)
    if found and "#" not in gap:
        yield start + found.start(), start + found.end(), new


def _compare(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        token, new = _COMPARED[type(node.ops[0])]
        yield from _between(node.left, node.comparators[0], at, token, new)


def _arithmetic(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        texts = (ast.Constant, ast.JoinedStr)
        if any(isinstance(n, texts) and not _is_number(n) for n in (node.left, node.right)):
            return  # joined or formatted texts
        token, new = _COMPUTED[type(node.op)]
        yield from _between(node.left, node.right, at, token, new)


def _augmented(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        old, new = ("+=", "-=") if isinstance(node.op, ast.Add) else ("-=", "+=")
        start, end = at.span(node.target)[1], at.span(node.value)[0]
        found = at.source.find(old, start, end)
        if found >= 0:
            yield found, found + 2, new


def _boolean(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.BoolOp):
        token, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for first, second in zip(node.values, node.values[1:], strict=False):
            yield from _between(first, second, at, token, new)


def _negate(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if not isinstance(node, ast.If | ast.While | ast.IfExp):
        return
    test = node.test
    start, end = at.span(test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield start, end, at.text(test).removeprefix("not").lstrip()
    elif isinstance(test, _SIMPLE):
        yield start, end, f"not {at.text(test)}"
    elif isinstance(test, ast.BoolOp):
        yield start, end, f"not ({at.text(test)})"


def _off_by_one(node: ast.AST, at: Places) -> Iterator[_Edit]:
    bounds: list[ast.expr | None] = []
    if isinstance(node, ast.Constant) and type(node.value) is int:
        start, end = at.span(node)
        if at.text(node).isdecimal():
            yield start, end, str(node.value + 1)
            if node.value:
                yield start, end, str(node.value - 1)
    elif isinstance(node, ast.Slice):
        bounds = [node.lower, node.upper]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        bounds = [*node.args[:2]]
    for bound in bounds:
        if isinstance(bound, _SIMPLE):
            start, end = at.span(bound)
            yield end, end, " + 1"
            yield end, end, " - 1"


def _swapped_arguments(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return
    if isinstance(node.func, ast.Name) and node.func.id in _ORDERED:
        return
    one, two = node.args[:2]
    if isinstance(one, ast.Starred) or isinstance(two, ast.Starred | ast.GeneratorExp):
        return
    (start, middle), (after, end) = at.span(one), at.span(two)
    text = f"{at.text(two)}{at.source[middle:after]}{at.text(one)}"
    if "\n" not in text and "(" not in at.source[middle:after]:
        yield start, end, text


def _dropped_keyword(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if not isinstance(node, ast.Call) or not node.keywords or node.keywords[-1].arg is None:
        return
    last = node.keywords[-1]
    before = [*node.args, *(keyword.value for keyword in node.keywords[:-1])]
    ends = [at.span(one)[1] for one in before]
    start = max(ends, default=at.offset(last.lineno, last.col_offset))
    yield start, at.span(last.value)[1], ""


def _constant(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield *at.span(node), str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield *at.span(node), f"({at.text(node)} * 2)"


def _returned(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.Return) and node.value is not None:
        yield *at.span(node.value), "None"


def _jump(node: ast.AST, at: Places) -> Iterator[_Edit]:
    if isinstance(node, ast.Break | ast.Continue):
        new = "continue" if isinstance(node, ast.Break) else "break"
        yield *at.span(node), new


def _dropped_statement(node: ast.AST, at: Places) -> Iterator[_Edit]:
    """Drop a branch, a call whose result nobody takes, a raise, or an assignment to a part."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        for statement in block:
            if _may_go(statement):
                yield _without(statement, at, alone=len(block) == 1)


def _may_go(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return not statement.orelse
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if isinstance(statement, ast.Assign):
        return isinstance(statement.targets[0], ast.Attribute | ast.Subscript)
    return isinstance(statement, ast.Raise)


def _without(statement: ast.stmt, at: Places, alone: bool) -> _Edit:
    """Return the edit that removes whole lines, or puts `pass` where a block would be empty."""
    start, end = at.span(statement)
    line = at.source.rfind("\n", 0, start) + 1
    after = at.source.find("\n", end)
    after = len(at.source) if after < 0 else after
    rest = at.source[end:after].strip()
    whole = not at.source[line:start].strip() and (not rest or rest.startswith("#"))
    branch = at.source.startswith("elif", start)
    if whole and (branch or not alone):
        return line, min(after + 1, len(at.source)), ""
    return start, end, "pass"


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)


_OPERATORS: dict[str, Callable[[ast.AST, Places], Iterator[_Edit]]] = {
    "compare": _compare,
    "arithmetic": _arithmetic,
    "augmented": _augmented,
    "boolean": _boolean,
    "negate": _negate,
    "off by one": _off_by_one,
    "swap arguments": _swapped_arguments,
    "drop keyword": _dropped_keyword,
    "constant": _constant,
    "return nothing": _returned,
    "jump": _jump,
    "drop statement": _dropped_statement,
}
OPERATORS = tuple(_OPERATORS)
