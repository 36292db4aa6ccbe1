"""Observations of both sides at the horizons of a comparison of distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces.utils import flatten
from gymnasium.vector.utils import concatenate, create_empty_array, iterate

from hub.fidelity.actions import random_actions
from hub.fidelity.declaration import Declaration
from hub.fidelity.plans import Distributions, Floats

LANES = 16


def reference_samples(
    declaration: Declaration, plan: Distributions, rounds: int, seeds: Any
) -> dict[int, Floats]:
    """Observations of the reference, one environment for every seed in turn.

    Args:
        declaration: The translation's.
        plan: Horizons and the seed of the actions.
        rounds: Episodes a seed; only the first is reset with it.
        seeds: `[LANES]`.

    Returns:
        For each horizon `[rounds, LANES, D]`, NaN where the episode had ended.
    """
    env = declaration.reference.make()
    space = env.observation_space
    rows = _table(plan, rounds)
    for lane, seed in enumerate(seeds):
        act = random_actions().start(env.action_space, np.random.default_rng([plan.seed, lane]))
        for number in range(rounds):
            observation, _ = env.reset(seed=int(seed) if number == 0 else None)
            rows[0][number][lane] = flatten(space, observation)
            for step in range(1, max(plan.horizons) + 1):
                observation, _, terminated, truncated, _ = env.step(act(observation))
                if step in rows:
                    rows[step][number][lane] = flatten(space, observation)
                if terminated or truncated:
                    break
    env.close()
    return _stacked(rows)


def engine_samples(
    declaration: Declaration, plan: Distributions, rounds: int, seeds: Any
) -> dict[int, Floats]:
    """Observations of the engine's lanes; as `reference_samples`."""
    engine = declaration.engine(LANES)
    space, actions = engine.single_observation_space, engine.single_action_space
    act = random_actions().start(actions, np.random.default_rng([plan.seed, LANES]))
    rows = _table(plan, rounds)
    everyone = {"reset_mask": np.ones(LANES, bool)}
    for number in range(rounds):
        seed: Any = None if number else [int(s) for s in seeds]
        batch, _ = engine.reset(seed=seed, options=everyone if number else None)
        live = np.ones(LANES, bool)
        for step in range(max(plan.horizons) + 1):
            if step:
                chosen: Any = create_empty_array(actions, LANES)
                chosen = concatenate(actions, [act(None) for _ in range(LANES)], chosen)
                batch, _, terminated, truncated, _ = engine.step(chosen)
            if step in rows:
                for lane, single in enumerate(iterate(engine.observation_space, batch)):
                    rows[step][number][lane] = flatten(space, single) if live[lane] else None
            if step and (over := terminated | truncated).any():
                live &= ~over
                engine.reset(options={"reset_mask": over})
    engine.close()
    return _stacked(rows)


def _table(plan: Distributions, rounds: int) -> dict[int, list[list[Any]]]:
    return {horizon: [[None] * LANES for _ in range(rounds)] for horizon in plan.horizons}


def _stacked(rows: dict[int, list[list[Any]]]) -> dict[int, Floats]:
    nothing = np.full(len(rows[0][0][0]), np.nan)
    return {
        horizon: np.array(
            [[nothing if row is None else row for row in lanes] for lanes in table], float
        )
        for horizon, table in rows.items()
    }
