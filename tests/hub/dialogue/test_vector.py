"""Lanes of dialogue; Gymnasium's SyncVectorEnv is the oracle of the three autoreset modes."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from hub.dialogue import DialogueVectorEnv, Said, Session, vector_class
from hub.errors import ClosedError, InvalidAction
from hub.infos import final_transition, lane_info
from tests.hub.dialogue.toy import Does, Sums, SumsVector, call, make

SAID = ["0", call("add", a=1, b=2), "<tool_call>", "3"]


def texts(step: int) -> np.ndarray[Any, Any]:
    return np.array([SAID[(step * (lane + 1)) % 4] for lane in range(3)], dtype=object)


def same(left: Any, right: Any) -> None:
    """Compare observations, rewards and flags with their dtypes, and each lane's infos."""
    for one, other in zip(left[:-1], right[:-1], strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    for lane in range(3):
        assert lane_info(left[-1], lane) == lane_info(right[-1], lane)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_value_is_what_gymnasium_gives_for_the_single_environments(
    mode: AutoresetMode,
) -> None:
    ours = SumsVector(3, autoreset_mode=mode, budget={"turns": 2})
    theirs = SyncVectorEnv([lambda: Sums(budget={"turns": 2})] * 3, autoreset_mode=mode)
    same(ours.reset(seed=7), theirs.reset(seed=7))
    ends = 0
    for step in range(12):
        mine, other = ours.step(texts(step)), theirs.step(texts(step))
        same(mine, other)
        done = mine[2] | mine[3]
        ends += int(done.sum())
        if mode is AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            same(ours.reset(options=options), theirs.reset(options={"reset_mask": done.copy()}))
            assert options["reset_mask"] is done
        if step == 6:
            same(ours.reset(), theirs.reset())
    assert ends > 6
    ours.close(), theirs.close()


def test_the_last_transition_is_found_by_the_hubs_reader_of_infos() -> None:
    env = SumsVector(2, autoreset_mode="SameStep")
    env.reset(seed=0)
    _, _, terminated, _, infos = env.step(["nonsense", call("add", a=1, b=1)])
    assert terminated.tolist() == [True, False]
    last = final_transition(infos, 0)
    assert (last.observation, last.info["outcome"], last.info["reward"]) == ("", "completed", 0.0)
    with pytest.raises(ValueError, match="did not end"):
        final_transition(infos, 1)


def test_lanes_wait_together_and_a_tool_that_raises_ends_its_own_lane_only() -> None:
    barrier = threading.Barrier(3, timeout=20)

    def meet(session: Session) -> str:
        barrier.wait()
        if session.task.id == "0+0":
            raise RuntimeError("of the environment")
        return "met"

    env = DialogueVectorEnv(lambda: make(Does("meet", meet)), 3, AutoresetMode.DISABLED)
    env.reset(seed=[3, 4, 5])
    for lane in range(3):
        env.envs[lane].reset(options={"task": lane})
    observations, rewards, _, truncated, infos = env.step([call("meet")] * 3)
    assert observations.tolist()[1:] == ["met", "met"]
    assert truncated.tolist() == [True, False, False]
    assert np.isnan(rewards[0])
    assert rewards[1:].tolist() == [0.0, 0.0]
    assert infos["outcome"].tolist() == ["env_error", None, None]
    assert infos["_outcome"].tolist() == [True, False, False]
    env.close()


def test_bad_actions_step_no_lane_and_misuse_is_named() -> None:
    env = SumsVector(2, autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(ResetNeeded, match="no episode has begun"):
        env.step(["a", "b"])
    env.reset(seed=0)
    with pytest.raises(InvalidAction, match="lane 1: action of type int"):
        env.step(["7", 7])
    for wrong in (["7"], "77"):
        with pytest.raises(InvalidAction, match="expected 2 texts"):
            env.step(wrong)
    _, _, terminated, _, _ = env.step(["7", call("add", a=1, b=1)])
    assert terminated.tolist() == [True, False]
    with pytest.raises(ResetNeeded, match="lane 0 has ended"):
        env.step(["7", "7"])
    env.close()
    with pytest.raises(ClosedError):
        env.reset()


def test_an_action_keeps_its_tokens_on_the_way_to_its_lane() -> None:
    env = SumsVector(1)
    env.reset(seed=0)
    env.step([Said(call("add", a=1, b=1), [5, 6, 2], [-0.1, -0.2, -0.3])])
    assert env.envs[0]._episode.turns[-2].token_ids.tolist() == [5, 6, 2]


def test_the_vector_class_has_the_single_environments_options() -> None:
    options = inspect.signature(SumsVector).parameters
    assert list(options) == ["num_envs", "autoreset_mode", *inspect.signature(Sums).parameters]
    assert SumsVector.__module__ == Sums.__module__
    assert vector_class(Sums).__name__ == "SumsVector"
    env = SumsVector(2, render_mode="ansi")
    env.reset(seed=0)
    shown = env.render()
    assert shown is not None
    assert all("[user]" in text for text in shown)
    assert SumsVector(2).render() is None
    with pytest.raises(ValueError, match="num_envs 0"):
        SumsVector(0)


@pytest.mark.slow
def test_gymnasiums_asynchronous_lanes_work_without_shared_memory() -> None:
    env = AsyncVectorEnv([Sums] * 2, shared_memory=False, context="spawn")
    observations, _ = env.reset(seed=0)
    assert all(text.startswith("What is") for text in observations)
    env.step(np.array(["1", "2"], dtype=object))
    env.close()


def test_shared_memory_is_refused_with_the_way_out() -> None:
    with pytest.raises(gymnasium.error.CustomSpaceError, match="shared_memory=False"):
        gymnasium.vector.utils.create_shared_memory(Sums().observation_space, 2)
