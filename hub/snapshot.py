"""Sealed snapshots: bytes that say what they are of and whether they are whole.

Layout, numbers little-endian: magic `HUBS`, format version (uint16), length of the configuration
text (uint32), BLAKE2b digest of all the rest (32 bytes), the configuration (UTF-8), the payload.
The digest finds damage; it does not authenticate.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from hub.errors import SnapshotError

_HEAD = struct.Struct("<4sHI")
_DIGEST_SIZE = 32
_MAGIC = b"HUBS"
_VERSION = 1


def seal(config: str, payload: bytes) -> bytes:
    """Wrap `payload`, the state of an environment that `config` describes."""
    text = config.encode()
    head, body = _HEAD.pack(_MAGIC, _VERSION, len(text)), text + payload
    return head + _digest(head, body) + body


def unseal(config: str, data: Any) -> bytes:
    """Return the payload of a snapshot that `seal` made for the same `config`.

    Args:
        config: Of the environment that is to be restored.
        data: The bytes, or what holds them: bytearray, memoryview, NumPy array.

    Raises:
        SnapshotError: As `opened`, or the environment has another configuration.
    """
    found, payload = opened(data)
    if found != config:
        raise SnapshotError(
            f"the snapshot is of [{found}], this environment is [{config}]: "
            "restore it into one that was made with the same options"
        )
    return payload


def opened(data: Any) -> tuple[str, bytes]:
    """Return configuration and payload of a snapshot, whatever environment it is of.

    Args:
        data: As `unseal`.

    Raises:
        SnapshotError: `data` is no snapshot, damaged or of another format version.
    """
    try:
        sealed = memoryview(data).tobytes()
    except (TypeError, ValueError, BufferError):
        raise SnapshotError(
            f"{type(data).__name__} is no snapshot: expected the bytes that snapshot() returned"
        ) from None
    start = _HEAD.size + _DIGEST_SIZE
    head, digest, body = sealed[: _HEAD.size], sealed[_HEAD.size : start], sealed[start:]
    if len(sealed) < start or not sealed.startswith(_MAGIC):
        raise SnapshotError(
            f"{len(sealed)} bytes that are no snapshot: expected snapshot()'s bytes"
        )
    _, version, size = _HEAD.unpack(head)
    if version != _VERSION:
        raise SnapshotError(f"snapshot format {version}, expected {_VERSION}: take a new one")
    if _digest(head, body) != digest:
        raise SnapshotError("the snapshot is damaged (its checksum does not match): take a new one")
    return body[:size].decode(), body[size:]


def _digest(head: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(head + body, digest_size=_DIGEST_SIZE).digest()
