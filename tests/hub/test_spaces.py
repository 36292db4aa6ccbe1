from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.spaces import Text
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from hypothesis import given
from hypothesis import strategies as st

from hub.spaces import UnicodeText, UnicodeTextBatch


@given(st.text(st.characters(), max_size=20))
def test_any_text_that_utf8_can_encode_is_in_the_space(text: str) -> None:
    space = UnicodeText(max_length=12)
    encodable = not any(0xD800 <= ord(c) <= 0xDFFF for c in text)
    assert (text in space) == (encodable and len(text) <= 12)
    assert space.from_jsonable(space.to_jsonable([text])) == [text]


def test_it_is_a_text_space_that_takes_texts_only() -> None:
    space = UnicodeText()
    assert isinstance(space, Text)
    for other in (b"x", 1, None, ["x"]):
        assert other not in space
    assert space == pickle.loads(pickle.dumps(space)) == copy.deepcopy(space)
    assert space != UnicodeText(5)
    assert repr(space) == "UnicodeText(max_length=1000000)"
    with pytest.raises(ValueError, match="no mask"):
        space.sample(mask=(1, None))


def test_samples_are_in_the_space_and_follow_its_seed() -> None:
    one, two = UnicodeText(seed=3), UnicodeText(seed=3)
    drawn = [one.sample() for _ in range(50)]
    assert drawn == [two.sample() for _ in range(50)]
    assert all(text in one for text in drawn)
    assert len(set(drawn)) > 40
    assert any(ord(c) > 0xFFFF for text in drawn for c in text)


def test_a_batch_is_an_object_array_with_a_text_for_each_lane() -> None:
    batch = batch_space(UnicodeText(9), 3)
    assert batch == UnicodeTextBatch(UnicodeText(9), 3)
    batch.seed(1)
    drawn = batch.sample()
    assert (drawn.dtype, drawn.shape, drawn in batch) == (np.dtype(object), (3,), True)
    assert ["a", "b", "c"] in batch
    for wrong in (["a", "b"], ["a", "b", 3], "abc", ["a", "b", "x" * 10]):
        assert wrong not in batch
    (back,) = batch.from_jsonable(batch.to_jsonable([drawn]))
    assert back.tolist() == drawn.tolist()
    assert not batch.is_np_flattenable
    assert repr(batch) == "UnicodeTextBatch(UnicodeText(max_length=9), 3)"


def test_gymnasiums_batching_functions_know_it() -> None:
    space = UnicodeText()
    empty = create_empty_array(space, 2)
    assert empty.tolist() == ["", ""]
    joined = concatenate(space, ["é", "longer than the other"], empty)
    assert joined.tolist() == ["é", "longer than the other"]
    assert list(iterate(batch_space(space, 2), joined)) == ["é", "longer than the other"]
