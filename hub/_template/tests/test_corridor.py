import gymnasium
import numpy as np
import pytest

import hub

ENV_ID = "hub:$name/Corridor-v0"


def towards_the_door(observation: np.ndarray) -> int:
    return int(observation[1] > observation[0])


def test_walking_towards_the_door_ends_the_episode_there() -> None:
    env = gymnasium.make(ENV_ID, cells=5)
    observation, _ = env.reset(seed=0)
    for _ in range(4):
        observation, reward, terminated, truncated, _ = env.step(towards_the_door(observation))
        if terminated:
            break
    assert terminated
    assert not truncated
    assert reward == 1.0
    assert observation[0] == observation[1]


def test_the_same_seed_gives_the_same_corridor() -> None:
    env = gymnasium.make(ENV_ID)
    first, _ = env.reset(seed=3)
    env.reset(seed=4)
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(first, again)


def test_an_episode_that_never_reaches_the_door_is_truncated() -> None:
    env = gymnasium.make(ENV_ID, max_episode_steps=3)
    observation, _ = env.reset(seed=0)
    for _ in range(3):
        observation, _, terminated, truncated, _ = env.step(1 - towards_the_door(observation))
    assert truncated
    assert not terminated


def test_a_corridor_of_one_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        gymnasium.make(ENV_ID, cells=1)


def test_an_action_that_there_is_not_is_refused() -> None:
    env = gymnasium.make(ENV_ID)
    env.reset(seed=0)
    with pytest.raises(hub.InvalidAction, match="expected 0"):
        env.step(9)
