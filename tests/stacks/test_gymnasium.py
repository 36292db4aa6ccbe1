"""Gymnasium's own vector wrappers around C Pong, in the autoreset modes that they take."""

from __future__ import annotations

from contextlib import closing

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

LANES = 4


def lanes(pong: str, mode: AutoresetMode, limit: int = 50) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec(pong, LANES, autoreset_mode=mode, max_episode_steps=limit)


def test_normalize_observation_works_in_next_step(pong: str) -> None:
    with closing(lanes(pong, AutoresetMode.NEXT_STEP)) as inner:
        env = wrappers.NormalizeObservation(inner)
        env.action_space.seed(0)
        seen = [env.reset(seed=0)[0]] + [env.step(env.action_space.sample())[0] for _ in range(199)]
    assert np.isfinite(seen).all()
    moving = np.std(seen, axis=(0, 1))
    moving = moving[moving > 0]  # nobody scores so soon
    assert len(moving) >= 6
    assert ((moving > 0.5) & (moving < 2)).all()  # about unit variance


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_normalize_observation_refuses_the_other_modes(pong: str, mode: AutoresetMode) -> None:
    with (
        closing(lanes(pong, mode)) as inner,
        pytest.raises((ValueError, AssertionError), match="NEXT_STEP"),
    ):
        wrappers.NormalizeObservation(inner)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_other_observation_wrappers_work_without_autoreset_too(
    pong: str, mode: AutoresetMode
) -> None:
    with closing(lanes(pong, mode)) as inner:
        env = wrappers.RescaleObservation(inner, 0.0, 2.0)
        seen = env.reset(seed=0)[0]
        plain = inner.reset(seed=0)[0]
    space = inner.single_observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    np.testing.assert_allclose(seen, 2 * (plain - space.low) / (space.high - space.low), atol=1e-6)


def test_other_observation_wrappers_refuse_same_step(pong: str) -> None:
    with (
        closing(lanes(pong, AutoresetMode.SAME_STEP)) as inner,
        pytest.raises((ValueError, AssertionError), match="SAME_STEP"),
    ):
        wrappers.RescaleObservation(inner, 0.0, 2.0)


def test_record_episode_statistics_counts_episodes_reset_by_mask(pong: str) -> None:
    """One lane is given up early, so they end at different times; each is reset alone, by mask."""
    ours = np.zeros(LANES)
    steps = np.zeros(LANES, np.int64)
    told, counted = [], []
    with closing(lanes(pong, AutoresetMode.DISABLED)) as inner:
        env = wrappers.RecordEpisodeStatistics(inner)
        env.action_space.seed(0)
        env.reset(seed=0)
        for step in range(170):
            _, reward, terminated, truncated, info = env.step(env.action_space.sample())
            ours, steps = ours + reward, steps + 1
            done = terminated | truncated
            if step == 20:
                done |= np.array([True, False, False, False])  # given up before its end
            for lane in np.flatnonzero(terminated | truncated):
                counted.append((ours[lane], steps[lane]))
                told.append((info["episode"]["r"][lane], info["episode"]["l"][lane]))
            if done.any():
                env.reset(options={"reset_mask": done})
                ours[done], steps[done] = 0, 0
    assert len({length for _, length in counted}) == 1
    assert len(counted) > LANES
    np.testing.assert_allclose(told, counted)
