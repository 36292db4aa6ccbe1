"""The first look at an environment: a few episodes, every value checked at every step."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import time
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from hub.conformance.outcome import Finding, Skipped, brief, describe
from hub.conformance.play import Probe, Step, actions
from hub.conformance.session import SEED, Session
from hub.conformance.snapshot import opaque_leaves, snapshot

# An episode without a declared limit must end within this many random steps.
ENDLESS = 100_000
# Enough when both are reached; the time share may end the walk earlier.
ENOUGH_STEPS, ENOUGH_EPISODES = 3_000, 5

Kind = tuple[Any, ...]


@dataclass
class Walk:
    """What the walk saw.

    Attributes:
        findings: First finding by rule name.
        steps: Number of steps, resets not counted.
        longest: Steps of the longest episode.
        ends: `(step, terminated, truncated, seed)` of each episode that ended.
        infos: One example of each kind of info (keys and types), in order of appearance.
        seconds: Time that the steps took, with their checks.
    """

    findings: dict[str, Finding] = field(default_factory=dict)
    steps: int = 0
    longest: int = 0
    ends: list[tuple[int, bool, bool, int]] = field(default_factory=list)
    infos: dict[Kind, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0

    def note(self, rule: str, finding: Finding | None) -> None:
        """Keep the first finding of a rule."""
        if finding is not None:
            self.findings.setdefault(rule, finding)

    def require(self, rule: str) -> None:
        """Raise the finding of `rule`, if there is one."""
        if rule in self.findings:
            raise self.findings[rule]


def walked(session: Session) -> Walk:
    """Return the session's walk, taken at the first call."""
    walk: Walk = session.once("walk", lambda: take(session))
    return walk


def take(session: Session) -> Walk:
    """Play episodes of consecutive seeds until enough was seen or the time share is over."""
    walk = Walk()
    with session.open() as probe:
        for seed in itertools.count(SEED):
            try:
                _episode(session, probe, walk, seed)
            except Finding as finding:
                walk.note("run", finding)
                break
            enough = walk.steps >= ENOUGH_STEPS and len(walk.ends) >= ENOUGH_EPISODES
            if enough or session.left() < 0 or not probe.done:
                break
    session.step_seconds = max(walk.seconds / max(walk.steps, 1), 1e-6)
    return walk


def _episode(session: Session, probe: Probe, walk: Walk, seed: int) -> None:
    space, limit = probe.env.observation_space, session.spec.max_episode_steps
    reward_space = declared_rewards(probe.env)
    observation, info = probe.reset(seed=seed)
    walk.note("observation", bad_observation(space, observation, 0, seed))
    walk.note("info", bad_info(walk, info, 0, seed))
    size = sum(np.asarray(leaf).nbytes for leaf in snapshot(observation, "o").values())
    session.step_bytes = max(session.step_bytes, 600.0 + size)
    start = time.perf_counter()
    for action in actions(probe.env.action_space, seed):
        result = probe.step(action)
        walk.steps += 1
        walk.note("observation", bad_observation(space, result[0], probe.at, seed))
        walk.note("reward", bad_reward(session.strict, reward_space, result[1], probe.at, seed))
        walk.note("flags", bad_flags(session.strict, result, probe.at, seed))
        walk.note("info", bad_info(walk, result[4], probe.at, seed))
        if probe.done:
            walk.ends.append((probe.at, bool(result[2]), bool(result[3]), seed))
        past = limit is not None and probe.at > limit
        if probe.done or past or probe.at >= ENDLESS or session.left() < 0:
            break
    walk.seconds += time.perf_counter() - start
    walk.longest = max(walk.longest, probe.at)


def bad_observation(
    space: gymnasium.Space[Any], value: Any, step: int, seed: int
) -> Finding | None:
    """Return a finding unless `value` lies in `space`, with the very dtype of each Box in it."""
    try:
        inside = space.contains(value)
    except Exception as error:
        text = f"observation_space.contains raised {describe(error)}"
        return Finding(text, step, "observation", seed)
    if not inside:
        return Finding(f"{brief(value)} is not in {brief(space)}", step, "observation", seed)
    return _bad_dtype(space, value, "observation", step, seed)


def _bad_dtype(
    space: gymnasium.Space[Any], value: Any, path: str, step: int, seed: int
) -> Finding | None:
    if isinstance(space, gymnasium.spaces.Box):
        # Box.contains takes lists and every dtype that can be cast; batching then converts them.
        dtype = getattr(value, "dtype", None)
        if dtype != space.dtype:
            text = f"is {dtype or type(value).__name__}, the space says {space.dtype}"
            return Finding(text, step, path, seed)
    parts: list[tuple[str, Any, Any]] = []
    if isinstance(space, gymnasium.spaces.Dict):
        parts = [(f"{path}[{key!r}]", space[key], value[key]) for key in space]
    elif isinstance(space, gymnasium.spaces.Tuple):
        parts = [(f"{path}[{i}]", part, value[i]) for i, part in enumerate(space)]
    found = (_bad_dtype(part, item, name, step, seed) for name, part, item in parts)
    return next((finding for finding in found if finding), None)


def declared_rewards(env: Any) -> Any:
    """Return the environment's `reward_space` or `reward_range` when it declares one."""
    base = env.unwrapped
    return getattr(base, "reward_space", None) or getattr(base, "reward_range", None)


def bad_reward(strict: bool, declared: Any, reward: Any, step: int, seed: int) -> Finding | None:
    """Return a finding unless `reward` is a finite number inside what is declared.

    The hub's own rule (`strict`) asks for a Python float: Stable-Baselines3 refuses NumPy scalars.
    """
    kind = type(reward).__name__
    number = isinstance(reward, int | float | np.integer | np.floating)
    if not number or isinstance(reward, bool):
        return Finding(f"{brief(reward)} is a {kind}, not a number", step, "reward", seed)
    if not math.isfinite(reward):
        return Finding(f"{reward} is not finite", step, "reward", seed)
    if strict and type(reward) is not float:
        return Finding(f"is a {kind}; the hub asks for a Python float", step, "reward", seed)
    if isinstance(declared, gymnasium.Space):
        inside = declared.contains(np.asarray(reward, declared.dtype))
    elif declared is not None:
        inside = declared[0] <= reward <= declared[1]
    else:
        inside = True
    return None if inside else Finding(f"{reward} is not in {declared}", step, "reward", seed)


def bad_flags(strict: bool, result: Step, step: int, seed: int) -> Finding | None:
    """Return a finding unless both flags are booleans (Python's own, by the hub's rule)."""
    allowed = (bool,) if strict else (bool, np.bool_)
    for name, flag in (("terminated", result[2]), ("truncated", result[3])):
        if not isinstance(flag, allowed):
            text = f"{brief(flag)} is a {type(flag).__name__}, not a bool"
            return Finding(text, step, name, seed)
    return None


def bad_info(walk: Walk, info: dict[str, Any], step: int, seed: int) -> Finding | None:
    """Return a finding unless `info` can be compared, copied and sent to another process."""
    leaves = snapshot(info, "info")
    kind = tuple(
        (path, type(leaf), getattr(leaf, "shape", None), getattr(leaf, "dtype", None))
        for path, leaf in leaves.items()
    )
    if kind in walk.infos or len(walk.infos) > 64:
        return None
    walk.infos[kind] = _own_copy(info)
    for key in info:
        if not isinstance(key, str):
            return Finding(f"the key {key!r} is no string", step, "info", seed)
    # AsyncVectorEnv sends every info through a pipe, so even one lambda in it ends the training.
    for path in opaque_leaves(leaves):
        try:
            pickle.dumps(info)
        except Exception as error:
            text = f"holds a {leaves[path]}, and cannot be pickled: {describe(error)}"
            return Finding(text, step, path, seed)
    return None


def _own_copy(info: dict[str, Any]) -> dict[str, Any]:
    """Return a copy that the environment cannot change later, or `info` if it refuses to be."""
    try:
        return copy.deepcopy(info)
    # Objects refuse copying in any way they like; `bad_info` reports what cannot be sent.
    except Exception:
        return info


# ---- The rules ---------------------------------------------------------------------------------


def run(session: Session) -> str:
    """Reset and step take every seed and action that the spaces allow."""
    walk = walked(session)
    walk.require("run")
    return f"{walk.steps} steps, {len(walk.ends)} episodes ended"


def observation(session: Session) -> str:
    """Every observation lies in the observation space, with its dtype."""
    walked(session).require("observation")
    return f"{walked(session).steps} steps"


def reward(session: Session) -> str:
    """Every reward is a finite number inside the declared range."""
    walked(session).require("reward")
    return f"{walked(session).steps} steps"


def flags(session: Session) -> str:
    """Terminated and truncated are booleans, and say two different things."""
    walk = walked(session)
    walk.require("flags")
    limit = session.spec.max_episode_steps
    # At the limit both may be true; elsewhere, always both means one flag copied into the other.
    early = [end for end in walk.ends if end[0] != limit]
    if len(early) > 1 and all(terminated and truncated for _, terminated, truncated, _ in early):
        step, _, _, seed = early[0]
        raise Finding("terminated and truncated are both true at every end", step, None, seed)
    return f"{len(walk.ends)} episodes ended"


def info(session: Session) -> str:
    """Infos have string keys and values that survive a pipe to another process."""
    walk = walked(session)
    walk.require("info")
    return f"{len(walk.infos)} kinds of info"


def episode_end(session: Session) -> str:
    """Every episode ends."""
    walk, limit = walked(session), session.spec.max_episode_steps
    if limit is not None and walk.longest > limit:
        text = f"the episode goes on after its limit of {limit} steps"
        raise Finding(text, walk.longest, None, SEED)
    if walk.ends:
        return f"{len(walk.ends)} episodes ended, the longest after {walk.longest} steps"
    if limit is not None:
        raise Skipped(f"{walk.longest} steps in its time, and the spec's limit is {limit}")
    raise Finding(
        f"neither terminated nor truncated within {walk.longest} random steps, and the spec "
        "declares no max_episode_steps",
        step=walk.longest,
        field="terminated",
        seed=SEED,
    )
