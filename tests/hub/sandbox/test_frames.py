import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.sandbox import frames
from hub.sandbox.frames import CANCELLED, SESSION_LOST, TIMED_OUT, Kind

PAYLOADS = st.lists(st.tuples(st.sampled_from(list(Kind)), st.binary(max_size=200)), max_size=6)


@given(sent=PAYLOADS, cuts=st.lists(st.integers(1, 50), min_size=1))
def test_frames_come_out_whole_however_the_bytes_arrive(
    sent: list[tuple[Kind, bytes]], cuts: list[int]
) -> None:
    data = b"".join(frames.frame(kind, i, payload) for i, (kind, payload) in enumerate(sent))
    buffer, received, at = frames.Buffer(), [], 0
    while at < len(data):
        step = cuts[at % len(cuts)]
        buffer.feed(data[at : at + step])
        at += step
        while (frame := buffer.next()) is not None:
            received.append((frame.kind, frame.payload))
    assert received == sent


@given(
    code=st.integers(-64, 255),
    flags=st.sampled_from([0, TIMED_OUT, SESSION_LOST | CANCELLED]),
    out=st.binary(max_size=50),
    err=st.binary(max_size=50),
)
def test_the_reply_to_a_command_is_read_back(code: int, flags: int, out: bytes, err: bytes) -> None:
    payload = struct.pack("<iIQ", code, flags, 7)
    for stream in (out, err):
        payload += frames.u64(len(stream) + 9) + frames.string(stream)
    done = frames.parse_done(payload)
    assert (done.code, done.flags, done.nanoseconds) == (code, flags, 7)
    assert (done.out, done.err) == (out, err)
    assert done.out_total == len(out) + 9


def test_a_request_beyond_what_the_helper_takes_is_refused() -> None:
    with pytest.raises(ValueError, match="write large input to a file"):
        frames.frame(Kind.EXEC, 1, b"x" * (frames.MAX_PAYLOAD + 1))
