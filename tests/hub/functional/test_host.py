import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, Tuple
from gymnasium.vector.utils import batch_space

from hub.errors import InvalidAction
from hub.functional import host
from hub.functional.actions import check_action

NESTED = Dict(a=Box(0, 1, (2,), np.float32), b=Tuple([Discrete(3), Discrete(2, start=4)]))


def test_observations_take_the_structure_and_dtype_of_the_space():
    tree = {"a": np.ones(2), "b": (np.int32(2), np.int32(5))}
    fitted = host.fit(NESTED, tree)
    assert fitted in NESTED
    assert fitted["a"].dtype == np.float32
    assert fitted["b"][1].dtype == np.int64
    assert not np.shares_memory(fitted["a"], tree["a"])


def test_a_float32_reward_that_stands_for_a_level_becomes_the_level():
    got = np.array([0.1, -1, 0.25], np.float32)
    exact = host.exact_rewards(got, (-1.0, 0.1))
    assert exact.tolist() == [0.1, -1.0, 0.25]
    assert host.exact_rewards(got, ())[0] != 0.1


def test_infos_of_some_lanes_are_masked_and_merged():
    infos = {}
    host.add_info(infos, {"n": np.array([1, 2], np.int32)}, np.array([True, False]))
    host.add_info(infos, {"n": np.array([8, 9], np.int32)}, np.array([False, True]))
    host.add_info(infos, {"x": np.ones(2)}, np.array([False, False]))
    assert infos["n"].tolist() == [1, 9]
    assert infos["n"].dtype == np.int64
    assert infos["_n"].tolist() == [True, True]
    assert "x" not in infos


def test_composite_actions_are_checked_part_by_part():
    space = batch_space(NESTED, 2)
    good = {"a": np.zeros((2, 2)), "b": (np.array([0, 2]), np.array([4, 5]))}
    checked = check_action(space, good)
    assert checked["a"].dtype == np.float32
    assert checked["b"][0].dtype == np.int32
    with pytest.raises(InvalidAction, match="action 3 of lane 1"):
        check_action(space, good | {"b": (np.array([0, 0]), np.array([4, 3]))})
