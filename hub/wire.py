"""The wire form of trajectories: JSON with arrays as base64 of little-endian values, or msgpack.

Both forms hold the same fields; msgpack carries the arrays' bytes raw, which takes a quarter
less room and no decoding.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hub.errors import MissingDependency, TrajectoryError
from hub.trajectory import Outcome, ToolCall, Trajectory, Turn, WeightSpan

SCHEMA = "hub.trajectory/1"

_ARRAYS: dict[str, str] = {
    "token_ids": "<i4",
    "sampled": "|u1",
    "logprobs": "<f4",
    "raw_logprobs": "<f4",
}

Pack = Callable[[bytes], Any]
Unpack = Callable[[Any], bytes]


def _pack_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _unpack_text(value: Any) -> bytes:
    return base64.b64decode(value, validate=True)


def turn_to_json(turn: Turn, pack: Pack = _pack_text) -> dict[str, Any]:
    """Return `turn` as JSON values."""
    data: dict[str, Any] = {f.name: getattr(turn, f.name) for f in fields(turn)}
    for name, dtype in _ARRAYS.items():
        data[name] = pack(data[name].astype(dtype).tobytes())
    data["tool_calls"] = [
        {"name": c.name, "arguments": dict(c.arguments), "id": c.id} for c in turn.tool_calls
    ]
    data["weight_spans"] = [[s.version, s.start, s.end] for s in turn.weight_spans]
    return data


def turn_from_json(data: Mapping[str, Any], unpack: Unpack = _unpack_text) -> Turn:
    """Return the turn that `turn_to_json` wrote.

    Raises:
        TrajectoryError: A field is absent, unknown or of another kind.
    """
    try:
        arrays = {name: _array(unpack(data[name]), dtype) for name, dtype in _ARRAYS.items()}
        return Turn(
            **{
                **data,
                **arrays,
                "tool_calls": tuple(ToolCall(**call) for call in data["tool_calls"]),
                "weight_spans": tuple(WeightSpan(*span) for span in data["weight_spans"]),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TrajectoryError(f"turn: {type(error).__name__}: {error}") from error


def _array(raw: bytes, dtype: str) -> NDArray[Any]:
    return np.frombuffer(raw, dtype).astype(np.dtype(dtype).newbyteorder("="))


def trajectory_to_json(trajectory: Trajectory, pack: Pack = _pack_text) -> dict[str, Any]:
    """Return `trajectory` as JSON values, with its schema's name."""
    data: dict[str, Any] = {f.name: getattr(trajectory, f.name) for f in fields(trajectory)}
    data["turns"] = [turn_to_json(turn, pack) for turn in trajectory.turns]
    data["outcome"] = str(trajectory.outcome)
    data["tools"] = [dict(tool) for tool in trajectory.tools]
    for name in ("reward_parts", "versions", "timings"):
        data[name] = dict(data[name])
    return {"schema": SCHEMA, **data}


def trajectory_from_json(data: Mapping[str, Any], unpack: Unpack = _unpack_text) -> Trajectory:
    """Return the trajectory that `trajectory_to_json` wrote.

    Raises:
        TrajectoryError: Another schema, or a field that is absent, unknown or contradictory.
    """
    if data.get("schema") != SCHEMA:
        raise TrajectoryError(f"schema {data.get('schema')!r}: expected {SCHEMA!r}")
    body = {name: value for name, value in data.items() if name != "schema"}
    try:
        return Trajectory(
            **{
                **body,
                "turns": tuple(turn_from_json(turn, unpack) for turn in body["turns"]),
                "outcome": Outcome(body["outcome"]),
                "tools": tuple(body["tools"]),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TrajectoryError(f"trajectory: {type(error).__name__}: {error}") from error


def to_msgpack(trajectory: Trajectory) -> bytes:
    """Return `trajectory` as msgpack, its arrays as raw bytes.

    Raises:
        MissingDependency: The distribution msgpack is absent.
    """
    raw: bytes = _msgpack().packb(trajectory_to_json(trajectory, pack=bytes))
    return raw


def from_msgpack(raw: bytes) -> Trajectory:
    """Return the trajectory that `to_msgpack` wrote.

    Raises:
        MissingDependency: The distribution msgpack is absent.
        TrajectoryError: It is another thing, or cut short.
    """
    msgpack = _msgpack()
    try:
        data = msgpack.unpackb(raw)
    except ValueError as error:
        raise TrajectoryError(f"not a msgpack trajectory: {error or type(error)}") from error
    if not isinstance(data, dict):
        raise TrajectoryError(f"not a msgpack trajectory: {type(data).__name__}")
    return trajectory_from_json(data, unpack=bytes)


def _msgpack() -> Any:
    try:
        import msgpack
    except ImportError as error:
        raise MissingDependency(
            "the msgpack form needs the distribution msgpack. Fix: pip install msgpack"
        ) from error
    return msgpack
