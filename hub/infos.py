"""Reading the merged infos of a vector environment lane by lane, and seeding one completely.

Gymnasium merges the infos of all lanes into one dict of arrays, each with a mask `_key` of the
lanes that have it. Where an episode's last observation is depends on the autoreset mode: under
SAME_STEP in `infos["final_obs"]`, otherwise among the step's own observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from hub.native import lane_of
from hub.seeds import as_seed

_FINAL = ("final_obs", "final_info")


class FinalTransition(NamedTuple):
    """The end of one lane's episode.

    Attributes:
        observation: The last observation, of one lane's space.
        info: The last info, with `episode` when a wrapper counts episodes.
    """

    observation: Any
    info: dict[str, Any]


def lane_info(infos: Mapping[str, Any], lane: int) -> dict[str, Any]:
    """Return the entries of `infos` that lane `lane` has, as one environment would give them."""
    found = {}
    for key, value in infos.items():
        if f"_{key}" in infos and not infos[f"_{key}"][lane]:
            continue
        if key.startswith("_") and key.removeprefix("_") in infos:
            continue
        found[key] = lane_info(value, lane) if isinstance(value, Mapping) else value[lane]
    return found


def final_transition(
    infos: Mapping[str, Any], lane: int, observations: Any = None
) -> FinalTransition:
    """Return how lane `lane` ended, in the step that terminated or truncated it.

    Args:
        infos: What `step` of a vector environment returned, of any autoreset mode.
        lane: A lane whose `terminated` or `truncated` is true.
        observations: The same step's observations; under NEXT_STEP and DISABLED they hold the last
            one.

    Raises:
        ValueError: The infos hold no final observation and `observations` is not given, or the
            lane did not end in this step.
    """
    if "final_obs" not in infos:
        if observations is None:
            raise ValueError(
                "infos hold no final_obs: only SAME_STEP autoreset has it. Give the step's "
                "observations, or make the environment with autoreset_mode='SameStep'"
            )
        return FinalTransition(lane_of(observations, lane), lane_info(infos, lane))
    if not infos["_final_obs"][lane]:
        raise ValueError(f"lane {lane} did not end in this step: final_obs has no entry for it")
    # Wrappers that count episodes put their figures beside final_info, not in it.
    after = {key: value for key, value in infos.items() if key in ("episode", "_episode")}
    last = {**lane_info(infos.get("final_info", {}), lane), **lane_info(after, lane)}
    return FinalTransition(infos["final_obs"][lane], last)


def reset_info(infos: Mapping[str, Any], lane: int) -> dict[str, Any]:
    """Return the entries of lane `lane` that do not speak of an ended episode."""
    kept = {k: v for k, v in infos.items() if k.removeprefix("_") not in (*_FINAL, "episode")}
    return lane_info(kept, lane)


def seed_everything(
    env: gymnasium.Env[Any, Any] | gymnasium.vector.VectorEnv[Any, Any, Any], seed: int
) -> tuple[Any, dict[str, Any]]:
    """Reset `env` with `seed` and seed its spaces, so that sampled actions repeat too.

    Gymnasium's `reset(seed=)` leaves the spaces alone. Every space gets a stream of its own;
    global random number generators are not touched.

    Args:
        env: A single or vector environment.
        seed: 0 to 2**64 - 1.

    Returns:
        What `env.reset(seed=seed)` returned.

    Raises:
        TypeError: The seed is no whole number.
        ValueError: It is out of range.
    """
    seed = as_seed(seed)
    names = ("action_space", "observation_space", "single_action_space", "single_observation_space")
    streams = np.random.SeedSequence(seed).generate_state(len(names))
    for name, stream in zip(names, streams, strict=True):
        if hasattr(env, name):
            getattr(env, name).seed(int(stream))
    result: tuple[Any, dict[str, Any]] = env.reset(seed=seed)
    return result
