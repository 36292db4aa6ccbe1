"""The binding checks what it is bound to, once, and says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import hub
from tests import need

_core = need.module("hub_pong._core")


def arrays(lanes=4, **changes):
    return {
        "observations": np.zeros((lanes, 8), np.float32),
        "final_observations": np.zeros((lanes, 8), np.float32),
        "rewards": np.zeros(lanes),
        "terminations": np.zeros(lanes, bool),
        "truncations": np.zeros(lanes, bool),
        **changes,
    }


def bind(lanes=4, autoreset="SameStep", compat=False, frame_skip=1, **changes):
    return _core.PongCore(
        **arrays(lanes, **changes),
        autoreset=autoreset,
        max_episode_steps=None,
        num_threads=None,
        compat=compat,
        frame_skip=frame_skip,
    )


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("name", "array", "error", "words"),
    [
        ("observations", np.zeros((4, 8)), TypeError, "dtype float64, expected float32"),
        ("observations", np.zeros((4, 7), np.float32), ValueError, r"shape .*7.*expected .*8"),
        ("observations", np.zeros((8, 4), np.float32).T, ValueError, "not C-contiguous"),
        ("observations", read_only(np.zeros((4, 8), np.float32)), ValueError, "not writeable"),
        ("final_observations", np.zeros((3, 8), np.float32), ValueError, "shape"),
        ("final_observations", [[0.0] * 8] * 4, TypeError, "dtype float64"),
        ("rewards", np.zeros(4, np.float32), TypeError, "dtype float32, expected float64"),
        ("terminations", np.zeros(4, np.uint8), TypeError, "dtype uint8, expected bool"),
        ("truncations", np.zeros(8, bool)[::2], ValueError, "not C-contiguous"),
    ],
)
def test_an_array_that_does_not_fit_is_refused_by_name(name, array, error, words):
    with pytest.raises(error, match=f"{name}: {words}"):
        bind(**{name: array})


def test_same_step_needs_an_array_for_the_final_observations():
    with pytest.raises(ValueError, match="final_observations None: expected an array"):
        bind(final_observations=None)
    bind(final_observations=None, autoreset="NextStep")


def test_it_writes_into_the_bound_arrays_and_keeps_them_alive():
    bound = arrays()
    core = bind(**bound)
    core.reset(np.arange(4, dtype=np.uint64), None)
    assert bound["observations"][:, 0].tolist() == [0.5] * 4
    del bound
    core.step(np.zeros(4, np.int64))


@pytest.mark.parametrize(
    "actions", [np.zeros(4), np.zeros(4, np.int32), np.zeros(8, np.int64)[::2], [0] * 4]
)
def test_actions_of_another_type_or_layout_are_refused_not_converted(actions):
    core = bind()
    core.reset(np.arange(4, dtype=np.uint64), None)
    with pytest.raises(TypeError):
        core.step(actions)


def test_seeds_and_masks_must_fit_the_lanes():
    core = bind()
    core.reset(np.zeros(4, np.uint64), None)
    with pytest.raises(ValueError, match="seeds: expected one per lane"):
        core.reset(np.zeros(3, np.uint64), None)
    with pytest.raises(ValueError, match="mask: expected one per lane"):
        core.reset(None, np.ones(5, bool))


def test_the_first_reset_must_seed():
    with pytest.raises(ResetNeeded):
        bind().reset(None, None)


def test_a_payload_of_another_size_is_refused():
    with pytest.raises(hub.SnapshotError, match="3 bytes of state, expected 384"):
        bind().restore(b"abc")


def test_a_lane_that_does_not_exist_is_refused():
    core = bind()
    core.reset(np.zeros(4, np.uint64), None)
    with pytest.raises(IndexError):
        core.lane(4)


@pytest.mark.parametrize("options", [{"autoreset": "x"}, {"frame_skip": 9}, {"lanes": 0}])
def test_a_setting_out_of_range_is_refused(options):
    with pytest.raises(ValueError, match="expected"):
        bind(**options)
