"""Rules on the environment's own vector environment: batching, types, returned data, closing."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from hub.conformance.batch import VectorProbe, open_vector, own_modes, require_vector
from hub.conformance.kept import Kept, require_unchanged
from hub.conformance.lifecycle import lacks_renderer
from hub.conformance.outcome import Finding, Skipped, brief
from hub.conformance.play import Step, actions
from hub.conformance.session import MIN_STEPS, OTHER_SEED, SEED, Session
from hub.conformance.snapshot import snapshot
from hub.conformance.walk import bad_observation, declared_rewards

# One number of lanes for all rules: JAX compiles anew for each.
LANES = 4
# Steps of one look; a vector environment's episodes are looked at by the autoreset rules.
MAX_STEPS = 1_000
KEPT_STEPS = 60
FIELDS = ("observation", "reward", "terminated", "truncated", "info")


def vector_make(session: Session) -> str:
    """`gymnasium.make_vec` makes as many lanes as asked for, and its autoreset mode is declared."""
    require_vector(session)
    for count in (1, LANES):
        with open_vector(session, count) as probe:
            if probe.num_envs != count:
                raise Finding(f"num_envs is {probe.num_envs}, not {count}", field="num_envs")
            declared = probe.env.metadata.get("autoreset_mode")
            attribute = getattr(probe.env.unwrapped, "autoreset_mode", None)
    modes = own_modes(session)
    if session.strict and attribute is not declared:
        # TorchRL reads the attribute, Gymnasium the metadata.
        text = f"the attribute autoreset_mode is {attribute!r}, metadata says {declared!r}"
        raise Finding(text, field="autoreset_mode")
    if session.strict and set(modes) != set(AutoresetMode):
        names = ", ".join(mode.value for mode in modes)
        raise Finding(f"offers only {names}; the hub asks for all three modes", field="metadata")
    return ", ".join(mode.value for mode in modes)


def vector_spaces(session: Session) -> str:
    """Batched spaces are what Gymnasium makes of the single spaces, which are the environment's."""
    require_vector(session)
    with open_vector(session, LANES) as probe:
        vector = probe.vector
        for name in ("observation_space", "action_space"):
            single, batched = getattr(vector, f"single_{name}", None), getattr(vector, name, None)
            if single is None or batched is None:
                raise Finding(f"single_{name} or {name} is missing", field=name)
            if batched != batch_space(single, LANES):
                text = f"{brief(batched)} is not {brief(batch_space(single, LANES))}"
                raise Finding(text, field=name)
        if session.spec.entry_point is not None:
            with session.open() as alone:
                for name in ("observation_space", "action_space"):
                    mine, single = getattr(vector, f"single_{name}"), getattr(alone.env, name)
                    if mine != single:
                        text = f"{brief(mine)}, the single environment has {brief(single)}"
                        raise Finding(text, field=f"single_{name}")
        return brief(vector.observation_space)


def vector_data(session: Session) -> str:
    """Every batch lies in the batched space; rewards and flags are arrays of one value a lane."""
    require_vector(session)
    with open_vector(session, LANES) as probe:
        declared = declared_rewards(probe.env)
        observations, infos = probe.reset(seed=SEED)
        _require_batch(probe, observations, infos)
        count = min(session.steps, MAX_STEPS)
        for _, action in zip(range(count), actions(probe.env.action_space, SEED), strict=False):
            result = probe.step(action)
            _require_batch(probe, result[0], result[4])
            _require_values(probe, result, declared)
            _require_double(session, probe, result[1])
            if probe.at == 1:
                session.grant()  # the first step may have compiled something
            if probe.at >= MIN_STEPS and session.left() < 0:
                break
        return f"{probe.at} steps of {LANES} lanes"


def _require_batch(probe: VectorProbe, observations: Any, infos: dict[str, Any]) -> None:
    found = bad_observation(probe.env.observation_space, observations, probe.at, SEED)
    if found:
        raise found
    require_masks(infos, probe, "info")


def _require_values(probe: VectorProbe, result: Step, declared: Any) -> None:
    shape = (probe.num_envs,)
    kinds = {"reward": "f", "terminated": "b", "truncated": "b"}
    for (name, kind), value in zip(kinds.items(), result[1:4], strict=True):
        # JAX's arrays count: Gymnasium's own functional vector environments return them.
        array = np.asarray(value) if hasattr(value, "__array__") else None
        if array is None or array.shape != shape or array.dtype.kind != kind:
            got = type(value).__name__ if array is None else f"{array.dtype} of {array.shape}"
            want = "floats" if kind == "f" else "bools"
            raise Finding(f"is {got}, not {want} of shape {shape}", probe.at, name, SEED)
    rewards = np.asarray(result[1])
    if not np.isfinite(rewards).all():
        raise Finding(f"{rewards} is not finite", probe.at, "reward", SEED)
    low, high = -np.inf, np.inf
    if isinstance(declared, tuple | list):
        low, high = declared
    elif declared is not None and hasattr(declared, "low"):
        low, high = declared.low, declared.high
    if not ((rewards >= low) & (rewards <= high)).all():
        raise Finding(f"{rewards} is not in {declared}", probe.at, "reward", SEED)


def _require_double(session: Session, probe: VectorProbe, rewards: Any) -> None:
    """Raise a finding unless the rewards are as the hub promises them, where its rules apply."""
    if session.strict and not (isinstance(rewards, np.ndarray) and rewards.dtype == np.float64):
        got = f"a {type(rewards).__name__} of {rewards.dtype}"
        text = f"is {got}; the hub asks for a NumPy array of float64"
        raise Finding(text, probe.at, "reward", SEED)


def require_masks(infos: dict[str, Any], probe: VectorProbe, path: str) -> None:
    """Raise a finding unless every key of the batched infos has its mask and one value a lane."""
    shape = (probe.num_envs,)
    for key, value in infos.items():
        if key.startswith("_") and key[1:] in infos:
            continue
        place, mask = f"{path}[{key!r}]", infos.get(f"_{key}")
        mask = np.asarray(mask) if mask is not None else None
        if mask is None or mask.shape != shape or mask.dtype != np.bool_:
            text = f"has no mask {'_' + key!r} of {shape} bools"
            raise Finding(text, probe.at, place, SEED)
        if isinstance(value, dict):
            require_masks(value, probe, place)
        elif np.shape(value)[:1] != shape:
            text = f"has shape {np.shape(value)}, not one value for each of {shape[0]} lanes"
            raise Finding(text, probe.at, place, SEED)


def vector_returned_data(session: Session) -> str:
    """What was returned never changes later, and actions stay as given."""
    require_vector(session)
    kept = Kept()
    with open_vector(session, LANES) as probe:
        observation, info = probe.reset(seed=SEED)
        kept.keep(0, observation=observation, info=info)
        count = min(session.steps, KEPT_STEPS)
        for _, action in zip(range(count), actions(probe.env.action_space, SEED), strict=False):
            before = snapshot(action, "action")
            result = probe.step(action)
            require_unchanged(before, action, probe.at)
            kept.look("a later step")
            kept.keep(probe.at, **dict(zip(FIELDS, result, strict=True)))
        probe.reset(seed=OTHER_SEED)
        kept.look("the next reset")
    return f"{len(kept)} objects kept and looked at again"


def vector_limit(session: Session) -> str:
    """`make_vec(..., max_episode_steps=n)` truncates every episode at n steps."""
    require_vector(session)
    if session.spec.max_episode_steps is None:
        raise Skipped("the spec has no max_episode_steps")
    limit = min(4, session.spec.max_episode_steps)
    with open_vector(session, LANES, max_episode_steps=limit) as probe:
        probe.reset(seed=SEED)
        running = np.ones(LANES, bool)
        for _, action in zip(range(limit), actions(probe.env.action_space, SEED), strict=False):
            _, _, terminated, truncated, _ = probe.step(action)
            late = running & (probe.at == limit) & ~np.asarray(truncated)
            running &= ~(np.asarray(terminated) | np.asarray(truncated))
            late &= ~np.asarray(terminated)
            if late.any():
                lane = int(np.argmax(late))
                text = f"lane {lane} is not truncated at max_episode_steps={limit}"
                raise Finding(text, limit, "truncated", SEED)
    return f"truncated at {limit}"


def vector_close(session: Session) -> str:
    """The vector environment can be closed unused, after use, and twice."""
    require_vector(session)
    with open_vector(session, LANES):
        pass
    with open_vector(session, LANES) as probe:
        probe.reset(seed=SEED)
        probe.step(next(actions(probe.env.action_space, SEED)))
        probe.close()
    return "unused, after use, and twice"


def vector_render(session: Session) -> str:
    """Rendering a vector environment returns one frame a lane."""
    require_vector(session)
    with open_vector(session, 1) as probe:
        modes = probe.env.metadata.get("render_modes", [])
    if "rgb_array" not in modes:
        raise Skipped("its metadata declares no rgb_array")
    try:
        with open_vector(session, LANES, render_mode="rgb_array") as probe:
            probe.reset(seed=SEED)
            shown = probe.render()
    except Finding as found:
        reason = lacks_renderer(found)
        if reason:
            raise Skipped(reason) from found
        raise
    if not isinstance(shown, tuple | list | np.ndarray) or len(shown) != LANES:
        raise Finding(f"returns {brief(shown)}, not {LANES} frames", 0, "render", SEED)
    return f"{len(shown)} frames"
