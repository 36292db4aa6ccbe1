"""What `hub verify hub:jax/HalfCheetah-v0` checks: every part of one step against MuJoCo.

All comparisons are in float64. Errors of single numbers are absolute below 1 and relative above;
those of accelerations are the norm of the difference over the norm.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from hub.fidelity import (
    Check,
    CheckResult,
    Declaration,
    Distributions,
    Reference,
    Sources,
    TeacherForced,
    Transfer,
    compare,
    policy_actions,
    random_actions,
    relative_norm,
    saturated_actions,
    sticky_actions,
)
from hub_jax.cheetah import gait, oracle, probe
from hub_jax.cheetah.constants import TIMESTEP
from hub_jax.cheetah.mutants import MUTANTS
from hub_jax.cheetah.probe import Floats, States
from hub_jax.cheetah.sampling import Kind, anywhere, of_kind

ENGINE_ID = "hub:jax/HalfCheetah-v0"
COMPONENT_TOLERANCE = 1e-9
ACCELERATION_TOLERANCE = 1e-6
MARGIN = 100.0  # L4, as the paper; returns of HalfCheetah-v5 run to thousands
# L4: policies that run forward (chance has a return near -300); a core trains one in a minute.
TRAINING = {
    "lanes": 128,
    "steps": 64,
    "minibatches": 16,
    "learning_rate": 1e-3,
    "entropy": 0.0,
    "reward_scale": 0.1,
    "normalize": True,
    "anneal": True,
}


def check_component(name: str, samples: int, seed: int) -> CheckResult:
    """L1: compare one entry of `probe.components` with MuJoCo's at states from all over."""
    states = anywhere(samples, seed)
    want, got = oracle.components(states)[name], probe.components(states)[name]
    scale = np.fmax(1.0, np.abs(want))
    return compare(want / scale, got / scale, f"state of seed {seed}")


def check_acceleration(kind: Kind, samples: int, seed: int) -> CheckResult:
    """L2: compare `qacc`, and the velocity's change over one step, at states of one kind."""
    states = of_kind(kind, samples, seed)
    want, got = oracle.accelerations(states), probe.accelerations(states)
    errors = np.fmax(
        relative_norm(want["qacc"], got["qacc"]),
        relative_norm(want["qvel"] - states.qvel, got["qvel"] - states.qvel),
    )
    worst = int(errors.argmax())
    where = f"state {worst} of seed {seed}: qpos {states.qpos[worst]}"
    return CheckResult(samples, float(errors.max()), where)


def check_reward(samples: int, seed: int) -> CheckResult:
    """L2: compare one whole environment step from given states: observation, reward, info."""
    states = of_kind("on its feet", samples, seed)
    want, got = (_environment_steps(make, states) for make in (oracle.make_reference, _make_ours))
    return compare(want, got, f"state of seed {seed}")


def _environment_steps(make: Callable[[], Any], states: States) -> Floats:
    env, rows = make(), []
    for qpos, qvel, ctrl in zip(*states, strict=True):
        env.reset(seed=0)
        env.unwrapped.set_state(qpos, qvel)
        observation, reward, _, _, info = env.step(ctrl.astype(np.float32))
        parts = ("x_position", "x_velocity", "reward_forward", "reward_ctrl")
        rows.append([*observation, reward, *(info[part] for part in parts)])
    env.close()
    return np.array(rows, np.float64)


def _make_ours() -> gymnasium.Env[Any, Any]:
    return gymnasium.make(ENGINE_ID, dtype="float64")


def make_engine(num_envs: int, dtype: str = "float64") -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """Return the engine, autoreset off; L1 to L3 take it in float64."""
    return gymnasium.make_vec(ENGINE_ID, num_envs, autoreset_mode="Disabled", dtype=dtype)


def read_state(env: gymnasium.Env[Any, Any]) -> Floats:
    """Return the reference's `qpos` and `qvel`, `[18]`."""
    data = env.unwrapped.data  # type: ignore[attr-defined]  # MujocoEnv's
    return np.concatenate([data.qpos, data.qvel])


def reference_step(env: gymnasium.Env[Any, Any], action: Floats) -> tuple[Floats, bool]:
    """Take one `mj_step`; return `qacc` and the velocity's rate of change, `[18]`."""
    import mujoco

    inner: Any = env.unwrapped
    before = inner.data.qvel.copy()
    inner.data.ctrl[:] = action
    mujoco.mj_step(inner.model, inner.data)
    rate = (inner.data.qvel - before) / TIMESTEP
    return np.concatenate([inner.data.qacc, rate]), False


def engine_step(states: Floats, actions: Floats) -> tuple[Floats, Floats]:
    """Take one physics step from `states`; return the next states and what is compared."""
    given = States(states[:, :9], states[:, 9:], actions)
    found = probe.accelerations(given)
    rate = (found["qvel"] - given.qvel) / TIMESTEP
    reached = np.concatenate([found["qpos"], found["qvel"]], axis=1)
    return reached, np.concatenate([found["qacc"], rate], axis=1)


_COMPONENTS = {
    "mass": "mass matrix (mj_fullM)",
    "bias": "bias forces (qfrc_bias)",
    "passive": "passive forces (qfrc_passive)",
    "actuator": "actuator forces (qfrc_actuator)",
    "dist": "contact distances",
    "x": "contact points, x",
    "z": "contact points, z",
    "jacobian": "contact Jacobian (efc_J)",
    "aref": "contact reference accelerations (efc_aref)",
    "regularisation": "contact regularisation (efc_R)",
    "limit_dist": "joint limits' distances",
    "limit_sign": "joint limits' Jacobian (efc_J)",
    "limit_aref": "joint limits' reference accelerations (efc_aref)",
    "limit_regularisation": "joint limits' regularisation (efc_R)",
}
_KINDS: tuple[Kind, ...] = ("airborne", "limits", "on its feet", "on its back", "lying")

DECLARATION = Declaration(
    engine=make_engine,
    sources=Sources(package="hub_jax", files=("cheetah/*.py",)),
    reference=Reference(
        make=oracle.make_reference,
        summary="HalfCheetah-v5 of Gymnasium on MuJoCo, with the options of its XML",
        distributions={"gymnasium": "1.4.0", "mujoco": "4.0.0"},
    ),
    components=tuple(
        Check(title, functools.partial(check_component, name), COMPONENT_TOLERANCE, 2_000)
        for name, title in _COMPONENTS.items()
    ),
    interactions=(
        *(
            Check(
                f"acceleration {kind}",
                functools.partial(check_acceleration, kind),
                ACCELERATION_TOLERANCE,
                2_000,
            )
            for kind in _KINDS
        ),
        Check("one environment step", check_reward, ACCELERATION_TOLERANCE, 100),
    ),
    rollouts=TeacherForced(
        read_state=read_state,
        reference_step=reference_step,
        engine_step=engine_step,
        tolerance=ACCELERATION_TOLERANCE,
        free_tolerance=ACCELERATION_TOLERANCE,
        actions=(
            random_actions(),
            sticky_actions(0.9),
            saturated_actions(0.9),
            policy_actions("gait", functools.partial(gait.controller, TIMESTEP)),
        ),
    ),
    distributions=Distributions(samples=512, horizons=(0, 20)),
    transfer=Transfer(
        margin=MARGIN,
        return_threshold=500.0,
        budget=700_000,
        fast_id=ENGINE_ID,
        reference_id=oracle.REFERENCE_ID,
        max_steps=1_000,
        trainer="ppo-jax",
        reference_trainer="ppo",
        trainer_options=TRAINING,
        engine_options={"dtype": "float32"},  # as it is trained in and handed out
        pilot_episodes=64,
    ),
    mutants=MUTANTS,
)
