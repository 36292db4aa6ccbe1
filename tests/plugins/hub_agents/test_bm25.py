from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from hub_agents.bm25 import Document, Index, passage


def test_the_score_is_the_formula_worked_out_by_hand() -> None:
    index = Index([Document("a", "cat cat dog"), Document("b", "dog bird")])
    (hit,) = index.search("Cat", 5)
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    length, mean = 4, 3.5  # names count
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * length / mean))
    assert math.isclose(hit.score, expected)
    assert hit.document.name == "a"


def test_rarer_words_and_shorter_texts_rank_higher_and_ties_keep_their_order() -> None:
    texts = {"x": "dog " + "filler " * 50, "y": "dog", "z": "dog"}
    index = Index(Document(name, text) for name, text in texts.items())
    assert [hit.document.name for hit in index.search("dog", 3)] == ["y", "z", "x"]
    assert index.search("", 3) == []


@given(st.text(max_size=200), st.text(max_size=20), st.integers(10, 50))
def test_a_passage_is_part_of_the_text_and_not_longer_than_asked(
    text: str, query: str, size: int
) -> None:
    shown = passage(text, query, size)
    assert shown.removeprefix("...").removesuffix("...") in text or shown in text
    assert len(shown) <= size + 6
