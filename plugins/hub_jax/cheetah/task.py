"""HalfCheetah as pure functions: the task of Gymnasium's HalfCheetah-v5 over our own physics.

The functions are batched: a quantity of all lanes is one contiguous array, lanes last. Scan them
through `hub.functional.rollout`, or call them as the contract in `hub.functional.env` says.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Box
from jax import lax

from hub.functional import Array, Dtype, FunctionalEnv, Info, Source, Transition, struct
from hub_jax.cheetah.constants import FRAME_SKIP, TIMESTEP
from hub_jax.cheetah.physics import Motion, advance
from hub_jax.cheetah.view import picture

DT = FRAME_SKIP * TIMESTEP  # s per environment step
MAX_EPISODE_STEPS = 1000

# XLA's CPU backend recomputes a value in each fusion that reads it, and here nearly every value
# is read often: without its fusion pass a step takes a third of the time.
CPU_OPTIONS = {"xla_disable_hlo_passes": "fusion"}


@struct
class CheetahState:
    """Generalised coordinates of all lanes: x, z (m), pitch and the six hinges (rad)."""

    qpos: Array  # [9, lanes] float
    qvel: Array  # [9, lanes] float


@struct
class CheetahParams:
    """The task's weights, HalfCheetah-v5's by default; traced, so that none compiles anew."""

    forward_reward_weight: Any = 1.0  # [] reward per m/s
    ctrl_cost_weight: Any = 0.1  # [] cost per squared action
    reset_noise_scale: Any = 0.1  # [] half-width of positions' noise, deviation of velocities'


def init(dtype: Dtype, key: Array, params: CheetahParams) -> CheetahState:
    """Begin an episode in every lane: uniform noise on positions, normal noise on velocities.

    Args:
        dtype: Of the state.
        key: `[lanes]` keys.
        params: The task's weights.
    """

    def one(lane: Array) -> tuple[Array, Array]:
        position, velocity = jax.random.split(lane)
        qpos = jax.random.uniform(position, (9,), dtype, -1.0, 1.0)
        return qpos, jax.random.normal(velocity, (9,), dtype)

    qpos, qvel = jax.vmap(one, out_axes=-1)(key)
    scale = jnp.asarray(params.reset_noise_scale, dtype)
    return CheetahState(scale * qpos, scale * qvel)


def step(
    key: Source, state: CheetahState, action: Array, params: CheetahParams
) -> Transition[CheetahState]:
    """Advance every lane by `FRAME_SKIP` physics steps; nothing in it is random.

    Args:
        key: `[lanes]` keys, unused.
        state: The state.
        action: `[lanes, 6]` float; clipped to [-1, 1] by the motors, charged as given.
        params: The task's weights.
    """
    action = jnp.moveaxis(action, -1, 0).astype(state.qpos.dtype)
    # The physics does not depend on x. It starts from 0, so that in float32 the velocity of a
    # cheetah far away is not the difference of two large numbers.
    still = Motion([jnp.zeros_like(state.qpos[0]), *state.qpos[1:]], list(state.qvel))
    motion = lax.fori_loop(0, FRAME_SKIP, lambda _, at: advance(at, list(action)), still)
    position = state.qpos[0] + motion.qpos[0]
    velocity = motion.qpos[0] / DT
    forward = params.forward_reward_weight * velocity
    control = -_control_cost(params.ctrl_cost_weight, action)
    moved = CheetahState(jnp.stack([position, *motion.qpos[1:]]), jnp.stack(motion.qvel))
    never = jnp.zeros(position.shape, bool)
    info = {
        **state_info(moved, params),
        "x_velocity": velocity,
        "reward_forward": forward,
        "reward_ctrl": control,
    }
    return Transition(moved, forward + control, never, never, info)


def observe(state: CheetahState, params: CheetahParams) -> Array:
    """Return what a policy sees: positions without x, then velocities, `[lanes, 17]`."""
    return jnp.concatenate([state.qpos[1:], state.qvel]).T


def state_info(state: CheetahState, params: CheetahParams) -> Info:
    """Return the torso's `x_position` (m), `[lanes]`."""
    return {"x_position": state.qpos[0]}


def _control_cost(weight: Array, action: Array) -> Array:
    return weight * jnp.sum(action * action, axis=0)


@functools.cache
def half_cheetah(
    dtype: Dtype = "float32", platform: str = "cpu"
) -> FunctionalEnv[CheetahState, CheetahParams]:
    """Return the environment's record, one object per configuration.

    Args:
        dtype: `"float32"`, or `"float64"` as MuJoCo computes.
        platform: Of the device that it will run on; the CPU has compiler options of its own.

    Raises:
        ValueError: The dtype is neither.
    """
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype {dtype!r}: expected 'float32' or 'float64'")
    return FunctionalEnv(
        name="hub:jax/HalfCheetah-v0",
        init=functools.partial(init, dtype),
        step=step,
        observe=observe,
        state_info=state_info,
        params=CheetahParams(),
        observation_space=Box(-np.inf, np.inf, (17,), np.dtype(dtype).type),
        action_space=Box(-1.0, 1.0, (6,), np.float32),
        render=picture,
        render_fps=round(1.0 / DT),
        max_episode_steps=MAX_EPISODE_STEPS,
        batched=True,
        dtype=dtype,
        compiler_options=CPU_OPTIONS if platform == "cpu" else {},
    )
