"""Returns of a policy, episode by episode, in any vector environment with autoreset DISABLED."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from hub.fidelity.declaration import Declaration
from hub.fidelity.plans import Floats
from hub.fidelity.trainers import Policy

LANES = 64


def reference_lanes(
    declaration: Declaration, lanes: int, **options: Any
) -> VectorEnv[Any, Any, Any]:
    """The reference as a vector environment whose lanes are reset one by one."""
    makers = [functools.partial(declaration.reference.make, **options)] * lanes
    return SyncVectorEnv(makers, autoreset_mode=AutoresetMode.DISABLED)


def episode_returns(
    env: VectorEnv[Any, Any, Any], policy: Policy, seeds: Sequence[int], max_steps: int
) -> Floats:
    """Play one episode a seed and return the undiscounted returns.

    Args:
        env: In autoreset mode DISABLED; closed by the caller.
        policy: Freshly loaded.
        seeds: One an episode.
        max_steps: An episode is cut there.

    Returns:
        `[len(seeds)]`, in the order of the seeds.
    """
    count = env.num_envs
    totals = np.zeros(len(seeds))
    # A lane that has no episode left replays the first one, uncounted, until the others end.
    playing = np.arange(count)
    steps, starts = np.zeros(count, int), np.ones(count, bool)
    singles = _reset(env, _seeds_of(playing, starts, seeds), starts, [None] * count)
    finished, following = 0, count
    while finished < len(seeds):
        batch: Any = create_empty_array(env.single_observation_space, count)
        batch = concatenate(env.single_observation_space, singles, batch)
        observations, rewards, terminated, truncated, _ = env.step(policy(batch, starts))
        singles = list(iterate(env.observation_space, observations))
        counted = playing < len(seeds)
        totals[playing[counted]] += np.asarray(rewards, np.float64)[counted]
        steps += 1
        starts = np.asarray(terminated) | np.asarray(truncated) | (steps >= max_steps)
        if starts.any():
            finished += int((starts & counted).sum())
            playing[starts] = np.arange(following, following + starts.sum())
            following += int(starts.sum())
            steps[starts] = 0
            singles = _reset(env, _seeds_of(playing, starts, seeds), starts, singles)
    return totals


def _seeds_of(playing: Any, starts: Any, seeds: Sequence[int]) -> list[int | None]:
    def seed(episode: int) -> int:
        return seeds[episode] if episode < len(seeds) else seeds[0]

    return [
        seed(int(episode)) if start else None
        for episode, start in zip(playing, starts, strict=True)
    ]


def _reset(env: Any, seeds: list[int | None], mask: Any, singles: list[Any]) -> list[Any]:
    """Reset the lanes of `mask`; the observations of the others stay as they were."""
    batch, _ = env.reset(seed=seeds, options=None if mask.all() else {"reset_mask": mask})
    fresh = list(iterate(env.observation_space, batch))
    return [new if m else old for new, old, m in zip(fresh, singles, mask, strict=True)]
