import ast
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hub_agents.swe
from hub_agents.swe.mutations import OPERATORS, applied, candidates, mutations

ROOM = Path(hub_agents.swe.__file__).parent
SOURCES = [path.read_text(encoding="utf-8") for path in sorted(ROOM.glob("*.py"))]


def bodies(statement: str) -> set[str]:
    """Return what mutations make of the body of a function."""
    source = "def f(a, b=1):\n" + textwrap.indent(textwrap.dedent(statement), "    ")
    made = {applied(source, one) for one in mutations(source)}
    return {textwrap.dedent(text.partition("\n")[2]).rstrip("\n") for text in made}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x = a  ==  b", "x = a  !=  b"),
        ("x = (a) < (b)  # why", "x = (a) <= (b)  # why"),
        ("x = a not  in b", "x = a in b"),
        ("x = a is b", "x = a is not b"),
        ("x = a or(b)", "x = a and(b)"),
        ("x = a // b", "x = a / b"),
        ("x += a", "x -= a"),
        ("while not a:\n    b()", "while a:\n    b()"),
        ("if a.b:\n    c()\nelse:\n    d()", "if not a.b:\n    c()\nelse:\n    d()"),
        ("x = a if b and c else d", "x = a if not (b and c) else d"),
        ("x = 'é' + a[1]", "x = 'é' + a[2]"),
        ("x = a[b:]", "x = a[b + 1:]"),
        ("for i in range(a):\n    b()", "for i in range(a - 1):\n    b()"),
        ("x = g(a, 'é', *b)", "x = g('é', a, *b)"),
        ("x = sorted(a, key=b, reverse=True)", "x = sorted(a, key=b)"),
        ("x = g(a=b)", "x = g()"),
        ("x = True", "x = False"),
        ("x = 1.5", "x = (1.5 * 2)"),
        ("return a", "return None"),
        ("for i in a:\n    break", "for i in a:\n    continue"),
        ("if a:\n    b()\nc()", "c()"),
        ("if a:\n    b()\nelif c:\n    d()\n", "if a:\n    b()"),
        ("a.append(b)  # so\nc()", "c()"),
        ("if a:\n    raise a", "if a:\n    pass"),
        ("a.b = 3\nc()", "c()"),
    ],
)
def test_each_operator_changes_its_span_and_nothing_else(statement: str, expected: str) -> None:
    assert expected in bodies(statement)


@pytest.mark.parametrize(
    "statement",
    ['"""Only 1 docstring."""', "x: 'a == 1' = b", "x = f'{a + 1} {b == 2}'", "assert a == 1",
     "x = 'a' + b", "x = isinstance(a, b)", "x = b'%d' % a"],
)  # fmt: skip
def test_what_says_nothing_of_the_code_is_left_alone(statement: str) -> None:
    assert not bodies(statement)


def test_decorators_defaults_and_what_stands_outside_functions_are_left_alone() -> None:
    source = "LIMIT = 3\n\n@cache(1 == 2)\ndef f(a: int = 3) -> 'x == 1':\n    pass\n"
    assert list(mutations(source)) == []
    assert list(mutations("def f(:\n")) == []


def test_every_operator_finds_something_in_real_code() -> None:
    found = {one.operator for source in SOURCES for one in candidates(source)}
    text = "def f():\n    for i in x:\n        n += 1.5\n        break\n"
    found |= {one.operator for one in candidates(text)}
    assert found == set(OPERATORS)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(SOURCES), st.integers(0, 1000))
def test_a_mutation_parses_differs_is_small_and_can_be_taken_back(source: str, seed: int) -> None:
    tree = ast.dump(ast.parse(source))
    for one, _ in zip(mutations(source, seed), range(5), strict=False):
        text = applied(source, one)
        assert ast.dump(ast.parse(text)) != tree
        assert text.startswith(source[: one.start])
        assert text.endswith(source[one.end :])
        assert len(one.text) <= one.end - one.start + 10
        back = text[: one.start] + source[one.start : one.end]
        assert back + text[one.start + len(one.text) :] == source
        assert one.line == source.count("\n", 0, one.start) + 1


def test_a_seed_chooses_the_order_and_no_mutation_comes_twice() -> None:
    source = (ROOM / "places.py").read_text(encoding="utf-8")
    first, again, other = (list(mutations(source, seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == len(first)
    assert sorted(map(repr, first)) == sorted(map(repr, other))


@given(st.text(alphabet="defab =<1():\n\t +é'#", max_size=60))
def test_any_text_is_taken(text: str) -> None:
    for one in mutations(f"def f(a):\n    {text}"):
        assert one.operator in OPERATORS
