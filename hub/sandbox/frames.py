"""The frames between the host and the helper; the same layout as `native/sandbox-init/src/wire.h`.

A frame is a 12-byte header (payload length, kind, three zero bytes, sequence number) and its
payload. Integers are little-endian; a string is its length as u32 and its bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

VERSION = 1
MAX_PAYLOAD = 8 << 20
HEADER = struct.Struct("<IB3xI")
_HEADER_SIZE = HEADER.size
_RUN = struct.Struct("<IB3xIIQI")
_RUN_KIND = 4  # Kind.RUN: an enum's member takes longer to pack
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_DONE = struct.Struct("<iIQQI")
_STREAM = struct.Struct("<QI")
_DONE_SIZE, _STREAM_SIZE = _DONE.size, _STREAM.size
REPLY = 0x80


class Kind(IntEnum):
    """Requests; a reply's kind is the request's with the highest bit set."""

    CONFIG = 1
    EXEC = 2
    OPEN = 3
    RUN = 4
    READ = 5
    WRITE = 6
    LIFETIME = 7
    CANCEL = 8
    ERROR = 0xFF


# How a command ended: bits of `Done.flags`. Plain integers: enum arithmetic would be a tenth of
# the time of a short command.
TIMED_OUT = 1
CANCELLED = 2
FLOODED = 4
SESSION_LOST = 8


class Frame(NamedTuple):
    """One frame as received."""

    kind: int
    seq: int
    payload: bytes


class Done(NamedTuple):
    """The reply to EXEC and RUN.

    Attributes:
        code: Exit status; -N when signal N ended it.
        flags: Bits, as above.
        nanoseconds: Wall time.
        out_total: Bytes of standard output.
        out: What was kept of it: all, or its first and its last half.
        err_total: Bytes of standard error.
        err: What was kept of it, likewise.
    """

    code: int
    flags: int
    nanoseconds: int
    out_total: int
    out: bytes
    err_total: int
    err: bytes


def string(data: bytes) -> bytes:
    """Encode one string."""
    return _U32.pack(len(data)) + data


def strings(items: Iterable[bytes]) -> bytes:
    """Encode a list of strings."""
    parts = [string(item) for item in items]
    return _U32.pack(len(parts)) + b"".join(parts)


def u32(value: int) -> bytes:
    """Encode an unsigned 32-bit integer."""
    return _U32.pack(value)


def u64(value: int) -> bytes:
    """Encode an unsigned 64-bit integer."""
    return _U64.pack(value)


def frame(kind: Kind, seq: int, *fields: bytes) -> bytes:
    """Encode a frame.

    Raises:
        ValueError: The payload is longer than the helper takes.
    """
    payload = b"".join(fields)
    if len(payload) > MAX_PAYLOAD:
        raise ValueError(
            f"a request of {len(payload)} bytes: a sandbox takes at most {MAX_PAYLOAD} at once; "
            "write large input to a file first"
        )
    return HEADER.pack(len(payload), kind, seq) + payload


def run_frame(seq: int, slot: int, milliseconds: int, text: bytes) -> bytes:
    """Encode a RUN frame at one go: the request that has to be quick."""
    length = 16 + len(text)
    if length > MAX_PAYLOAD:
        return frame(Kind.RUN, seq, text)  # says what is wrong
    return _RUN.pack(length, _RUN_KIND, seq, slot, milliseconds, len(text)) + text


class Buffer:
    """Collects received bytes and gives out whole frames."""

    def __init__(self) -> None:
        # Most frames come whole, and alone: those are never copied into an array.
        self._data: bytes | bytearray = b""

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        if not self._data:
            self._data = data
            return
        if isinstance(self._data, bytes):
            self._data = bytearray(self._data)
        self._data += data

    def next(self) -> Frame | None:
        """Return the next whole frame, or None until more bytes come."""
        data = self._data
        if len(data) < _HEADER_SIZE:
            return None
        length, kind, seq = HEADER.unpack_from(data)
        end = _HEADER_SIZE + length
        if len(data) < end:
            return None
        payload = bytes(data[_HEADER_SIZE:end])
        if len(data) == end:
            self._data = b""
        elif isinstance(data, bytearray):
            del data[:end]
        else:
            self._data = data[end:]
        return Frame(kind, seq, payload)


def parse_done(payload: bytes) -> Done:
    """Decode the reply to EXEC and RUN."""
    code, flags, nanoseconds, total, length = _DONE.unpack_from(payload)
    end = _DONE_SIZE + length
    err_total, length = _STREAM.unpack_from(payload, end)
    start = end + _STREAM_SIZE
    out, err = payload[_DONE_SIZE:end], payload[start : start + length]
    return Done(code, flags, nanoseconds, total, out, err_total, err)


def parse_ready(payload: bytes) -> tuple[int, int, list[bool]]:
    """Decode the reply to CONFIG: the helper's PID, its uid, and whether each probe exists."""
    values = struct.unpack(f"<{len(payload) // 4}I", payload)
    return values[0], values[1], [bool(value) for value in values[2:]]


def parse_read(payload: bytes) -> tuple[int, int, bytes]:
    """Decode the reply to READ: the file's size, its mode, and the piece."""
    size, mode, length = struct.unpack_from("<QII", payload)
    return size, mode, payload[16 : 16 + length]


def parse_error(payload: bytes) -> tuple[int, str]:
    """Decode an error: errno and message."""
    code, length = struct.unpack_from("<II", payload)
    return code, payload[8 : 8 + length].decode("utf-8", "replace")
