"""Builds what is measured: environments through `make`, `make_vec` and SyncVectorEnv, functions."""

from __future__ import annotations

import copy
import importlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from hub.bench.case import Case
from hub.bench.measure import Subject
from hub.entry import options
from hub.plugins import PLUGINS, load

_SEED = 0
# Distinct actions sampled beforehand: enough that no branch predictor learns them by heart.
_ACTIONS = 16_384
_LEAST_BATCHES = 16
# Batches over which the share of autoreset steps is counted, in environment steps.
_COUNTED = 65_536


def find_spec(env_id: str) -> EnvSpec:
    """Return the spec of any Gymnasium id, `module:Name-v0` included."""
    module, _, bare = env_id.rpartition(":")
    if module:
        importlib.import_module(module)
    return gymnasium.spec(bare)


def build(case: Case, measured: str) -> Subject:
    """Make the subject of a case of one of the three paths.

    Args:
        case: `make`, `make_vec` or `sync`; without an id it is one of `measured`.
        measured: The id being measured. Another id's `make` gets the wrappers that this one has.
    """
    env_id = case.id or measured
    keywords = dict(case.options)
    if case.path == "make":
        return SingleSteps(case, _single(env_id, measured, keywords))
    if case.path == "make_vec" and accepts(env_id, "num_threads"):
        keywords["num_threads"] = case.threads
    mode = "sync" if case.path == "sync" else "vector_entry_point"
    find_spec(env_id)
    return VectorSteps(
        case, gymnasium.make_vec(env_id, case.lanes, vectorization_mode=mode, **keywords)
    )


def build_functions(target: str, case: Case) -> list[Subject]:
    """Make the subjects that a `layers` or `peers` function offers at the lanes of `case`.

    Raises:
        ImportError: What the function needs is not installed.
    """
    offered: Mapping[str, Callable[[int], float]] = load(target)(case.lanes)
    return [
        FunctionSteps(replace(case, path=name, id="", options={}), advance)
        for name, advance in offered.items()
    ]


def compiles(env_id: str) -> bool:
    """Tell whether the environment compiles its step anew for every number of lanes."""
    return env_id in PLUGINS.registry and PLUGINS.registry.card(env_id).backend == "jax"


def accepts(env_id: str, option: str) -> bool:
    """Tell whether the environment's own vector class takes this keyword argument."""
    if env_id not in PLUGINS.registry:
        return False
    target = PLUGINS.registry.card(env_id).vector_entry_point
    return target is not None and option in (options(load(target)) or {})


def _single(env_id: str, measured: str, keywords: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    spec = copy.deepcopy(find_spec(env_id))
    own = find_spec(measured)
    spec.disable_env_checker, spec.order_enforce = own.disable_env_checker, own.order_enforce
    if (own.max_episode_steps is None) != (spec.max_episode_steps is None):
        spec.max_episode_steps = own.max_episode_steps
    return gymnasium.make(spec, **keywords)


def _sampled(space: gymnasium.Space[Any], lanes: int) -> Iterator[Any]:
    space.seed(_SEED)
    return cycle([space.sample() for _ in range(max(_LEAST_BATCHES, _ACTIONS // lanes))])


class FunctionSteps:
    """A layer or peer given as a function."""

    reset_seconds = 0.0

    def __init__(self, case: Case, advance: Callable[[int], float]) -> None:
        self.case = case
        self.advance = advance

    def prepare(self, seconds: float) -> None:
        """Nothing: the function counts for itself."""

    def close(self) -> None:
        """Nothing: the function owns what it made."""


class SingleSteps:
    """One environment in a plain loop that resets at the end of an episode."""

    def __init__(self, case: Case, env: gymnasium.Env[Any, Any]) -> None:
        self.case = case
        self._env = env
        self._actions = _sampled(env.action_space, 1)
        start = time.perf_counter()
        env.reset(seed=_SEED)
        self.reset_seconds = time.perf_counter() - start

    def advance(self, batches: int) -> float:
        """Step `batches` times; resets take their time and are not counted."""
        step, reset = self._env.step, self._env.reset
        for action in islice(self._actions, batches):
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                reset()
        return batches

    def prepare(self, seconds: float) -> None:
        """Nothing: no step of a single environment is an autoreset."""

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


class VectorSteps:
    """A vector environment stepped with batches of actions."""

    def __init__(self, case: Case, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        self.case = case
        self._env = env
        self._actions = _sampled(env.action_space, env.num_envs)
        self._reset_share = 0.0
        start = time.perf_counter()
        _wait(env.reset(seed=_SEED)[0])
        self.reset_seconds = time.perf_counter() - start

    def advance(self, batches: int) -> float:
        """Step `batches` times."""
        step, observation = self._env.step, None
        for action in islice(self._actions, batches):
            observation = step(action)[0]
        _wait(observation)
        return batches * self._env.num_envs * (1.0 - self._reset_share)

    def prepare(self, seconds: float) -> None:
        """Count the share of lane steps that only reset, in an untimed run.

        Counting inside the timed loop would cost as much as a native step of a thousand lanes.
        Only NEXT_STEP spends a step on a reset: the one after each episode's end.
        """
        mode = self._env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        if AutoresetMode(mode) is not AutoresetMode.NEXT_STEP:
            return
        ended = steps = 0
        stop = time.perf_counter() + seconds
        while steps < _COUNTED and (steps == 0 or time.perf_counter() < stop):
            _, _, terminated, truncated, _ = self._env.step(next(self._actions))
            ended += int(np.count_nonzero(np.logical_or(terminated, truncated)))
            steps += self._env.num_envs
        self._reset_share = ended / steps

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


def _wait(observation: Any) -> None:
    # JAX returns before it is done.
    if hasattr(observation, "block_until_ready"):
        observation.block_until_ready()
