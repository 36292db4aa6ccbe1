"""Sealed snapshots: bytes that say what they are of and whether they are whole.

Layout: magic `HUBS`, format version (uint16), length of the configuration text (uint32), a
32-byte BLAKE2b digest of everything that follows, the configuration (UTF-8), the payload; numbers
are little-endian. The digest finds damage; it does not authenticate.
"""

from __future__ import annotations

import hashlib
import struct

from hub.errors import SnapshotError

_HEADER = struct.Struct("<4sHI32s")
_MAGIC = b"HUBS"
_VERSION = 1


def seal(config: str, payload: bytes) -> bytes:
    """Wrap `payload`, the state of an environment that `config` describes."""
    body = config.encode() + payload
    return _HEADER.pack(_MAGIC, _VERSION, len(config.encode()), _digest(body)) + body


def unseal(config: str, data: bytes) -> bytes:
    """Return the payload of a snapshot that `seal` made for the same `config`.

    Raises:
        SnapshotError: `data` is no snapshot, damaged, of another format version, or of an
            environment with another configuration.
    """
    if len(data) < _HEADER.size or data[:4] != _MAGIC:
        raise SnapshotError(f"{len(data)} bytes that are no snapshot: expected snapshot()'s bytes")
    _, version, size, digest = _HEADER.unpack_from(data)
    if version != _VERSION:
        raise SnapshotError(f"snapshot format {version}, expected {_VERSION}: take a new one")
    body = data[_HEADER.size :]
    if _digest(body) != digest:
        raise SnapshotError("the snapshot is damaged (its checksum does not match): take a new one")
    if body[:size] != config.encode():
        raise SnapshotError(
            f"the snapshot is of [{body[:size].decode()}], this environment is [{config}]: "
            "restore it into one that was made with the same options"
        )
    return body[size:]


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=32).digest()
