"""The native protocol with a core of somebody else's: Python, Dict observations, Box actions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete, Text, Tuple
from gymnasium.vector import AutoresetMode

import hub
from hub.lane import NativeEnv
from hub.native import Lanes, fresh, lane_of
from hub.vector import NativeVectorEnv

SPACE = Dict({"time": Discrete(100), "place": Box(-9, 9, (2,), np.float32)})
ACTIONS = Box(-1, 1, (2,), np.float32)


class Walk:
    """Walks by its action and ends after three steps; the smallest complete `BatchCore`."""

    num_threads = 1

    def __init__(self, lanes: Lanes):
        self.lanes = lanes
        self.config = f"walk {len(lanes.rewards)} {lanes.autoreset}"
        self.over = None

    def reset(self, seeds, mask):
        if self.over is None:
            self.over = np.zeros(len(self.lanes.rewards), bool)
        self._start(np.ones_like(self.over) if mask is None else mask)

    def _start(self, mask):
        for array in (*self.lanes.observations.values(), self.lanes.rewards):
            array[mask] = 0
        self.lanes.terminations[mask] = self.over[mask] = False

    def step(self, actions):
        if self.over is None:
            raise ResetNeeded("reset first")
        if np.isnan(actions).any():
            raise hub.InvalidAction("NaN")
        seen, new = self.lanes.observations, self.over.copy()
        seen["time"][~new] += 1
        seen["place"][~new] += actions[~new]
        self.lanes.rewards[:] = ~new
        self.lanes.terminations[:] = ended = ~new & (seen["time"] == 3)
        self.over = ended.copy()
        if self.lanes.autoreset == "NextStep":
            self._start(new)
        elif self.lanes.autoreset == "SameStep" and ended.any():
            for key, array in seen.items():
                self.lanes.final_observations[key][ended] = array[ended]
            rewards = self.lanes.rewards.copy()
            self._start(ended)
            self.lanes.rewards[:], self.lanes.terminations[:] = rewards, ended
        return int(ended.sum())

    def step_lane(self, action):
        self.step(np.asarray(action)[None])
        return float(self.lanes.rewards[0]), bool(self.lanes.terminations[0]), False

    def snapshot(self):
        return pickle.dumps((self.lanes.observations, self.over))

    def restore(self, payload):
        observations, self.over = pickle.loads(payload)
        for key, array in self.lanes.observations.items():
            array[:] = observations[key]

    def close(self):
        pass


def vector(mode=AutoresetMode.SAME_STEP, **options):
    return NativeVectorEnv(Walk, SPACE, ACTIONS, num_envs=3, autoreset_mode=mode, **options)


def test_dict_observations_are_batched_fresh_and_in_the_space():
    env = vector()
    first, _ = env.reset(seed=0)
    second = env.step(np.ones((3, 2), np.float32))[0]
    assert first in env.observation_space
    assert second in env.observation_space
    assert first["time"].tolist() == [0, 0, 0]
    assert second["place"].tolist() == [[1, 1]] * 3


def test_final_observations_of_dict_spaces_are_dicts_of_one_lane():
    env = vector()
    env.reset(seed=0)
    for _ in range(3):
        observation, _, terminated, _, infos = env.step(np.ones((3, 2), np.float32))
    assert terminated.all()
    assert observation["time"].tolist() == [0, 0, 0]
    assert infos["final_obs"][1] in SPACE
    assert infos["final_obs"][1]["place"].tolist() == [3, 3]
    assert infos["_final_obs"].all()
    assert infos["final_info"] == {}


def test_a_single_environment_over_the_same_core_steps_alike():
    env = NativeEnv(Walk, SPACE, ACTIONS)
    observation, _ = env.reset(seed=0)
    assert observation in SPACE
    later, reward, terminated, truncated, info = env.step(np.float32([0.5, 1]))
    assert later["place"].tolist() == [0.5, 1]
    assert observation["place"].tolist() == [0, 0]
    assert (reward, terminated, truncated, info) == (1.0, False, False, {})


def test_dict_environments_pickle_with_their_state():
    env = vector()
    env.reset(seed=0)
    env.step(np.ones((3, 2), np.float32))
    twin = pickle.loads(pickle.dumps(env))
    assert twin.step(np.ones((3, 2), np.float32))[0]["place"].tolist() == [[2, 2]] * 3


def test_float64_actions_are_taken_and_text_is_refused():
    env = vector()
    env.reset(seed=0)
    env.step([[0.5, 0.5]] * 3)
    with pytest.raises(hub.InvalidAction, match="expected float32"):
        env.step(np.full((3, 2), "up"))


@pytest.mark.parametrize("space", [Text(3), Tuple([Discrete(2)]), Dict({"a": Discrete(2)})])
def test_an_action_space_that_is_no_array_is_refused(space):
    with pytest.raises(TypeError, match="expected Box, Discrete"):
        NativeVectorEnv(Walk, SPACE, space)


def test_copies_of_nested_batches_share_no_memory():
    batch = {"a": (np.zeros(2), np.zeros((2, 3))), "b": np.zeros(2)}
    copied, one = fresh(batch), lane_of(batch, 1)
    batch["a"][1][:] = 1
    assert copied["a"][1].tolist() == [[0, 0, 0]] * 2
    assert one["a"][1].tolist() == [0, 0, 0]
    assert one["b"] == 0
