import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub import SnapshotError
from hub.snapshot import opened, seal, unseal


@given(st.text(), st.binary())
def test_what_was_sealed_comes_back(config, payload):
    sealed = seal(config, payload)
    assert unseal(config, sealed) == payload
    assert opened(sealed) == (config, payload)


@given(st.binary(min_size=1), st.data())
def test_any_flipped_bit_is_found(payload, data):
    sealed = bytearray(seal("a", payload))
    sealed[data.draw(st.integers(0, len(sealed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(SnapshotError):
        unseal("a", bytes(sealed))


@given(st.binary(min_size=1), st.data())
def test_any_missing_end_is_found(payload, data):
    sealed = seal("a", payload)
    with pytest.raises(SnapshotError):
        unseal("a", sealed[: data.draw(st.integers(0, len(sealed) - 1))])


@given(st.binary())
def test_arbitrary_bytes_are_refused(data):
    with pytest.raises(SnapshotError):
        unseal("a", data)


def test_another_format_is_refused_by_its_version():
    sealed = seal("a", b"state")
    later = sealed[:4] + (2).to_bytes(2, "little") + sealed[6:]
    with pytest.raises(SnapshotError, match="snapshot format 2, expected 1: take a new one"):
        unseal("a", later)


def test_another_configuration_is_named_in_the_error():
    with pytest.raises(SnapshotError, match=r"\[lanes=2\].*\[lanes=3\]"):
        unseal("lanes=3", seal("lanes=2", b""))


@pytest.mark.parametrize("holder", [bytearray, memoryview, lambda d: np.frombuffer(d, np.uint8)])
def test_the_bytes_may_come_in_any_holder(holder):
    assert unseal("a", holder(seal("a", b"state"))) == b"state"


@pytest.mark.parametrize("data", [None, 5, "text", [1, 2], object()])
def test_what_holds_no_bytes_is_refused_by_its_type(data):
    with pytest.raises(SnapshotError, match=f"^{type(data).__name__} is no snapshot: expected"):
        unseal("a", data)
