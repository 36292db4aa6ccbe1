"""Peers of HalfCheetah for `hub bench`: MJX, brax generalized, mujoco.rollout.

Each function follows the contract of a card's bench `peers`: called with a number of lanes, it
returns, by name, a function that steps so many batches with random actions sampled beforehand and
returns the number of environment steps. An environment step is five physics steps of 0.01 s in
each (brax has a model and contacts of its own: only its throughput is comparable). MJX and
mujoco.rollout do physics alone: no reward, no observation, no reset. MJX runs with the solver
options of Gymnasium's XML (Newton, 100 iterations, 50 of the line search): fewer iterations make
it up to eleven times as fast and are not what HalfCheetah-v5 runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import cycle, islice
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from hub_jax.cheetah import oracle
from hub_jax.cheetah.constants import FRAME_SKIP

Offer = Mapping[str, Callable[[int], float]]

MJX_LANES = 256  # beyond it one call lasts seconds
BRAX_LANES = 1024
_ACTIONS = 8  # batches of actions, sampled beforehand


def mjx(lanes: int) -> Offer:
    """Offer MJX's physics, `jit(vmap)` over lanes, up to `MJX_LANES`."""
    if lanes > MJX_LANES:
        return {}
    from mujoco import mjx as engine

    model = engine.put_model(oracle.model())
    start = engine.make_data(oracle.model())

    def one(data: Any, action: jax.Array) -> Any:
        data = data.replace(ctrl=action)
        return jax.lax.fori_loop(0, FRAME_SKIP, lambda _, at: engine.step(model, at), data)

    state = jax.vmap(lambda qpos: start.replace(qpos=qpos))(_starts(lanes))
    return {"MJX": _stepper(jax.jit(jax.vmap(one)), state, lanes)}


def brax_generalized(lanes: int) -> Offer:
    """Offer brax's own halfcheetah on its generalized backend, up to `BRAX_LANES`."""
    if lanes > BRAX_LANES:
        return {}
    from brax import envs

    env = envs.get_environment("halfcheetah", backend="generalized")
    state = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.key(0), lanes))
    return {"brax generalized": _stepper(jax.jit(jax.vmap(env.step)), state, lanes)}


def mujoco_rollout(lanes: int) -> Offer:
    """Offer `mujoco.rollout`: MuJoCo itself on as many threads as the process has cores."""
    import mujoco
    from mujoco import rollout

    model, threads = oracle.model(), len(os.sched_getaffinity(0))
    data = [mujoco.MjData(model) for _ in range(threads)]
    pool = rollout.Rollout(nthread=threads)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((lanes, size))
    state[:, 1:10] = _starts(lanes)  # after the time
    controls = cycle([np.repeat(a[:, None], FRAME_SKIP, 1) for a in _actions(lanes)])

    def advance(batches: int) -> float:
        nonlocal state
        for control in islice(controls, batches):
            states, _ = pool.rollout(model, data, state, control)
            state = states[:, -1]
        return float(batches * lanes)

    return {"mujoco.rollout": advance}


def _starts(lanes: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).uniform(-0.1, 0.1, (lanes, 9)).astype(np.float32)


def _actions(lanes: int) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(1)
    return [rng.uniform(-1.0, 1.0, (lanes, 6)).astype(np.float32) for _ in range(_ACTIONS)]


def _stepper(step: Any, state: Any, lanes: int) -> Callable[[int], float]:
    """Return the contract's function for a jitted `(state, action) -> state`."""
    actions = cycle(_actions(lanes))

    def advance(batches: int) -> float:
        nonlocal state
        for action in islice(actions, batches):
            state = step(state, action)
        jax.block_until_ready(state)  # type: ignore[no-untyped-call]  # JAX leaves it unannotated
        return float(batches * lanes)

    return advance
