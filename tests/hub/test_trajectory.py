from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hub.errors import TrajectoryError
from hub.trajectory import Outcome, Trajectory, Turn, WeightSpan


def turn(count: int = 3, **more: Any) -> Turn:
    fields = {"token_ids": range(count), "sampled": [1] * count, "logprobs": [-0.5] * count}
    return Turn("assistant", "x", **{**{k: np.array(v) for k, v in fields.items()}, **more})


def trajectory(**more: Any) -> Trajectory:
    fields: dict[str, Any] = {"reward": 1.0, "outcome": Outcome.COMPLETED, "terminated": True}
    return Trajectory("e", "hub:a/B-v0", "t", 0, (turn(),), **{**fields, **more})


def test_a_turns_arrays_take_their_dtypes_and_equality_compares_them() -> None:
    made = turn()
    assert (made.token_ids.dtype, made.sampled.dtype) == (np.int32, np.uint8)
    assert made.logprobs.dtype == np.float32
    assert made == turn()
    assert made != turn(token_ids=np.array([9, 1, 2]))
    assert made != "x"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"token_ids": [1, 2]}, "2 token ids but 3 mask values and 3 logprobs"),
        ({"token_ids": [1.5, 2, 3]}, "does not fit one dimension of int32"),
        ({"token_ids": [2**40, 2, 3]}, "does not fit"),
        ({"token_ids": [[1, 2, 3]]}, "does not fit"),
        ({"sampled": [1, 256, 1]}, "does not fit one dimension of uint8"),
        ({"logprobs": [0.0, float("nan"), 0.0]}, "a logprob is not finite"),
        ({"logprobs": ["a", "b", "c"]}, "does not fit"),
        ({"raw_logprobs": [0.0]}, "1 raw logprobs for 3 ids"),
        ({"weight_spans": (WeightSpan("v", 0, 4),)}, "beyond 3 ids"),
        ({"weight_spans": (WeightSpan("v", 1, 3), WeightSpan("w", 0, 1))}, "out of order"),
    ],
)
def test_a_turn_that_contradicts_itself_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(TrajectoryError, match=message):
        turn(**more)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_outcomes_that_train_have_a_reward(outcome: Outcome) -> None:
    wrong = None if outcome.trainable else 0.0
    with pytest.raises(TrajectoryError, match=r"without a reward|carries reward"):
        trajectory(outcome=outcome, reward=wrong)
    right = trajectory(outcome=outcome, reward=0.5 if outcome.trainable else None)
    assert right.outcome is outcome


def test_exactly_one_flag_is_set() -> None:
    for flags in ({"truncated": True}, {"terminated": False}):
        with pytest.raises(TrajectoryError, match="expected exactly one"):
            trajectory(**flags)


def test_samples_are_one_row_for_each_segment() -> None:
    made = trajectory()
    parts = [turn(2), turn(3, segment=1), turn(1, segment=1)]
    object.__setattr__(made, "turns", tuple(parts))
    first, second = made.samples()
    assert first.tokens.tolist() == [0, 1]
    assert second.tokens.tolist() == [0, 1, 2, 0]
    assert second.loss_mask.tolist() == [1, 1, 1, 1]
    object.__setattr__(made, "turns", ())
    assert made.samples() == []
