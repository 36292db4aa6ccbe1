"""Autoreset in all three modes, over the C core of Pong; SyncVectorEnv is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from tests.hub.pong_lanes import LANES, MODES, actions_for, make, oracle, pong, same


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_every_value_is_what_gymnasium_gives_for_the_single_environments(mode):
    ours, theirs = make(mode), oracle(mode)
    same(ours.reset(seed=11), theirs.reset(seed=11))
    for step, actions in enumerate(actions_for(ours, 200)):
        same(ours.step(actions), theirs.step(actions))
        if step == 90:  # by hand, in the middle of episodes
            same(ours.reset(), theirs.reset())


def test_disabled_lanes_are_reset_by_mask_as_gymnasium_does():
    ours, theirs = make(AutoresetMode.DISABLED), oracle(AutoresetMode.DISABLED)
    same(ours.reset(seed=5), theirs.reset(seed=5))
    for step, actions in enumerate(actions_for(ours, 200)):
        mine, other = ours.step(actions), theirs.step(actions)
        same(mine, other)
        mask = mine[2] | mine[3]
        mask[step % LANES] |= step % 7 == 0
        if mask.any():
            same(
                ours.reset(options={"reset_mask": mask.copy()}),
                theirs.reset(options={"reset_mask": mask.copy()}),
            )


@pytest.mark.parametrize("mode", MODES)
def test_terminations_and_truncations_both_occur_in_games_to_21(mode):
    env = make(mode, limit=190)
    env.reset(seed=0)
    ends = np.zeros(2, int)
    for actions in actions_for(env, 600):
        _, _, terminated, truncated, _ = env.step(actions)
        ends += terminated.sum(), truncated.sum()
        done = terminated | truncated
        if mode is AutoresetMode.DISABLED and done.any():
            env.reset(options={"reset_mask": done})
    assert ends.min() > 0


@pytest.mark.parametrize("mode", MODES)
def test_reset_by_hand_clears_every_pending_flag(mode):
    env, fresh = make(mode, limit=3), make(mode, limit=3)
    env.reset(seed=1)
    for actions in actions_for(env, 3):
        done = env.step(actions)[3]
    assert done.all()
    env.reset(seed=2)
    fresh.reset(seed=2)
    same(env.step(np.ones(LANES, int)), fresh.step(np.ones(LANES, int)))


def test_a_disabled_lane_that_ended_must_be_reset_before_the_next_step():
    env = make(AutoresetMode.DISABLED, limit=2)
    env.reset(seed=0)
    env.step(np.zeros(LANES, int)), env.step(np.zeros(LANES, int))
    env.reset(options={"reset_mask": np.arange(LANES) != 3})
    with pytest.raises(ResetNeeded, match="lane 3"):
        env.step(np.zeros(LANES, int))
    env.reset(options={"reset_mask": np.arange(LANES) == 3})
    env.step(np.zeros(LANES, int))


def test_final_observations_are_fresh_and_only_in_same_step():
    env = make(AutoresetMode.SAME_STEP, limit=2, copy=False)
    env.reset(seed=0)
    env.step(np.ones(LANES, int))
    infos = env.step(np.ones(LANES, int))[-1]
    kept = [row.copy() for row in infos["final_obs"]]
    for _ in range(4):
        env.step(np.full(LANES, 2))
    same(tuple(infos["final_obs"]), tuple(kept))
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
        env = make(mode, limit=1)
        env.reset(seed=0)
        assert env.step(np.ones(LANES, int))[-1] == {}


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_an_attribute_and_in_the_metadata_and_may_be_a_string(mode):
    env = make(mode.value)
    assert env.autoreset_mode is env.metadata["autoreset_mode"] is mode
    assert "autoreset_mode" not in pong.PongVectorEnv.metadata
