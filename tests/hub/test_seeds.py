import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given
from hypothesis import strategies as st

from hub import UnknownOption
from hub.seeds import as_seed, check_options, lane_seeds, parse_seeds, reset_mask

SEEDS = st.integers(0, 2**64 - 1)


@given(SEEDS, st.integers(1, 20))
def test_lanes_get_consecutive_seeds_around_the_end(base, lanes):
    assert lane_seeds(base, lanes).tolist() == [(base + i) % 2**64 for i in range(lanes)]


@given(st.lists(st.none() | SEEDS, min_size=1))
def test_a_list_says_which_lanes_are_given_a_seed(entries):
    seeds, given_ = parse_seeds(entries, len(entries))
    assert given_.tolist() == [entry is not None for entry in entries]
    assert seeds.tolist() == [entry or 0 for entry in entries]


def test_an_array_of_seeds_is_taken():
    seeds, given_ = parse_seeds(np.array([3, 2], np.int32), 2)
    assert (seeds.tolist(), given_.tolist()) == ([3, 2], [True, True])


NO_SEEDS = ["12", b"12", 1.0, object(), [1, "x"], [1, -1], np.array(0.5), True, np.True_]


@pytest.mark.parametrize("seed", [*NO_SEEDS, [1, False], np.array([True, False])])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises((TypeError, ValueError), match=r"seed .*: expected"):
        parse_seeds(seed, 2)


def test_numpy_integers_become_python_ints():
    assert type(as_seed(np.uint64(2**64 - 1))) is int


def test_a_mask_need_not_be_contiguous():
    mask = np.array([True, False, False, False])[::2]
    assert reset_mask({"reset_mask": mask}, 2, started=True).flags.c_contiguous


def test_a_mask_of_every_lane_is_none_and_may_come_first():
    assert reset_mask({"reset_mask": np.ones(2, bool)}, 2, started=False) is None


def test_a_mask_of_some_lanes_needs_lanes_that_have_begun():
    with pytest.raises(ResetNeeded, match=r"selects 1 of 2 lanes.*without a mask first"):
        reset_mask({"reset_mask": np.array([True, False])}, 2, started=False)


def test_unknown_options_are_listed():
    with pytest.raises(UnknownOption, match="a, b; this environment has none"):
        check_options({"b": 1, "a": 2})


@pytest.mark.parametrize("options", [5, 0, "reset_mask", ["reset_mask"]])
@pytest.mark.parametrize(
    "check", [check_options, lambda options: reset_mask(options, 2, started=True)]
)
def test_options_are_a_mapping_or_none(check, options):
    with pytest.raises(TypeError, match=r"reset options .*: expected a dict of options or None"):
        check(options)
