from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.bench import Case
from hub.errors import BenchError

_ids = st.from_regex(r"(hub:[a-z]{1,5}/)?[A-Z][a-z]{0,5}-v[0-9]", fullmatch=True)
_values = st.booleans() | st.integers() | st.text("ab-", max_size=4) | st.none()
_options = st.dictionaries(
    st.from_regex(r"[a-z]{2,6}", fullmatch=True).filter(lambda n: n not in ("lanes", "threads")),
    _values,
    max_size=3,
)
_layers = st.lists(st.from_regex(r"[A-Za-z]{3,8}", fullmatch=True), min_size=3).map(" ".join)


@given(
    st.tuples(st.sampled_from(["make_vec", "sync"]), st.just("") | _ids)
    | st.tuples(_layers, st.just("")),
    st.integers(1, 1 << 20),
    st.integers(1, 64),
    _options,
)
def test_a_case_survives_its_notation(
    head: tuple[str, str], lanes: int, threads: int, options: dict[str, object]
) -> None:
    case = Case(*head, lanes, threads, options)
    assert Case.parse(str(case)) == case


def test_the_notation_of_a_single_environment_has_no_lanes() -> None:
    assert str(Case.parse("CartPole-v1 make")) == "CartPole-v1 make"
    assert Case.parse("make").at(64) == Case("make")


def test_a_layer_may_have_several_words() -> None:
    assert Case.parse("bare C loop lanes=1024") == Case("bare C loop", lanes=1024)


def test_the_line_of_a_case_leaves_its_lanes_out() -> None:
    assert Case.parse("make_vec lanes=64 threads=2 copy=false").line == (
        "make_vec threads=2 copy=false"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"expected '\[ID\] PATH"),
        ("lanes=4", r"expected '\[ID\] PATH"),
        ("lanes=4 make_vec", r"expected '\[ID\] PATH"),
        ("make_vec lanes=0", "lanes=0: expected a whole number"),
        ("make_vec lanes=true", "lanes=True: expected a whole number"),
        ("make_vec threads=1.5", r"threads=1\.5"),
        ("make_vec copy=False", r"copy=False: expected a JSON value"),
    ],
)
def test_a_bad_case_is_an_error_that_names_it(text: str, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        Case.parse(text)
