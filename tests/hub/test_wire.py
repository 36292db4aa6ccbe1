from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import TrajectoryError
from hub.trajectory import Outcome, ToolCall, Trajectory, Turn, WeightSpan
from hub.wire import (
    from_msgpack,
    to_msgpack,
    trajectory_from_json,
    trajectory_to_json,
    turn_to_json,
)
from tests import need

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)

ARGUMENTS = st.dictionaries(st.text(max_size=3), JSON, max_size=2)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    n = draw(st.integers(0, 5))
    ids = draw(st.lists(st.integers(0, 2**31 - 1), min_size=n, max_size=n))
    logprobs = draw(st.lists(st.floats(-1e9, 0, width=32), min_size=n, max_size=n))
    return Turn(
        draw(st.sampled_from(["system", "user", "assistant", "tool"])),
        draw(st.text(max_size=20)),
        tool_calls=(ToolCall("t", draw(ARGUMENTS), "c"),),
        token_ids=np.array(ids, np.int32),
        sampled=np.ones(n, np.uint8),
        logprobs=np.array(logprobs, np.float32),
        finish_reason=draw(st.sampled_from([None, "stop", "length"])),
        weight_spans=(WeightSpan("v1", 0, n),),
        segment=draw(st.integers(0, 3)),
        ended=draw(st.floats(0, 1e6)),
    )  # fmt: skip


@st.composite
def trajectories(draw: st.DrawFn) -> Trajectory:
    outcome = draw(st.sampled_from(Outcome))
    cut = draw(st.booleans())
    return Trajectory(
        "e", "hub:a/B-v0", draw(st.text(max_size=5)), draw(st.integers(-1, 2**63)),
        tuple(draw(st.lists(turns(), max_size=3))),
        draw(st.floats(-1, 1)) if outcome.trainable else None,
        outcome, reward_parts={"a": 0.5}, terminated=not cut, truncated=cut,
        tools=({"name": "t"},), versions={"gymhub": "1"}, verdict="fine",
    )  # fmt: skip


@given(trajectories())
def test_json_and_msgpack_give_back_every_field_to_the_bit(made: Trajectory) -> None:
    text = json.dumps(trajectory_to_json(made), allow_nan=False)
    assert trajectory_from_json(json.loads(text)) == made
    need.module("msgpack")
    assert from_msgpack(to_msgpack(made)) == made


def test_arrays_travel_as_little_endian_bytes_of_the_stated_width() -> None:
    made = Turn("assistant", "x", token_ids=np.array([1, 258], np.int32),
                sampled=np.ones(2, np.uint8), logprobs=np.array([-1, -2], np.float32))  # fmt: skip
    data = turn_to_json(made, pack=bytes)
    assert data["token_ids"] == bytes([1, 0, 0, 0, 2, 1, 0, 0])
    assert data["sampled"] == b"\1\1"
    assert data["logprobs"] == b"\0\0\x80\xbf\0\0\0\xc0"


def test_what_is_no_trajectory_is_an_error_that_says_why() -> None:
    made = Trajectory("e", "hub:a/B-v0", "t", 0, (Turn("user", "x"),), 1.0, Outcome.COMPLETED,
                      terminated=True)  # fmt: skip
    good = trajectory_to_json(made)
    assert good["schema"] == "hub.trajectory/1"
    for bad, message in (
        ({**good, "schema": "hub.trajectory/9"}, "expected 'hub.trajectory/1'"),
        ({**good, "outcome": "great"}, "great"),
        ({**good, "colour": 1}, "colour"),
        ({k: v for k, v in good.items() if k != "reward"}, "reward"),
        ({**good, "turns": [{**good["turns"][0], "token_ids": "AAA"}]}, "turn: .*"),
        ({**good, "turns": [{**good["turns"][0], "token_ids": "AAA="}]}, "turn: .*"),
        ({**good, "truncated": True}, "exactly one"),
    ):
        with pytest.raises(TrajectoryError, match=message):
            trajectory_from_json(bad)
    need.module("msgpack")
    for raw in (b"", b"\xc1", to_msgpack(made)[:-1], b"\x01"):
        with pytest.raises(TrajectoryError, match="not a msgpack trajectory"):
            from_msgpack(raw)
