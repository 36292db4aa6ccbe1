"""Our own physics, one component at a time, in float64 and NumPy: what the checks look at."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from hub_jax.cheetah import forces, physics, solver
from hub_jax.cheetah.arrow import Arrow
from hub_jax.cheetah.physics import Motion
from hub_jax.cheetah.task import CPU_OPTIONS

Floats = NDArray[np.float64]


class States(NamedTuple):
    """States and controls to look at."""

    qpos: Floats  # [N, 9]
    qvel: Floats  # [N, 9]
    ctrl: Floats  # [N, 6]


def dense(matrix: Arrow) -> jax.Array:
    """Return an arrow matrix as `[9, 9, ...]`."""
    zero = jnp.zeros_like(matrix.root[0][0])
    rows = [[zero] * 9 for _ in range(9)]
    for i in range(3):
        for j in range(3):
            rows[i][j] = matrix.root[i][j]
            for leg, (block, coupling) in enumerate(
                zip(matrix.legs, matrix.couplings, strict=True), start=1
            ):
                rows[3 * leg + i][3 * leg + j] = block[i][j]
                rows[i][3 * leg + j] = rows[3 * leg + j][i] = coupling[i][j]
    return jnp.stack([jnp.stack(row) for row in rows])


def components(states: States) -> dict[str, Floats]:
    """Return each component of the dynamics but the solution, lanes first.

    Returns:
        `mass` `[N, 9, 9]`; `bias` `[N, 9]`; `passive` and `actuator` `[N, 6]`; of the contacts
        `dist`, `x`, `z` (relative to the torso) `[N, 16]`, `jacobian` `[N, 16, 4, 9]`, `aref` and
        `regularisation` `[N, 16, 4]` with the edges +x, -x, +y, -y; of the limits `limit_dist`,
        `limit_sign`, `limit_aref`, `limit_regularisation` `[N, 6]`. Rows that do not act are NaN.
    """
    return _run(_components, states)


def accelerations(states: States) -> dict[str, Floats]:
    """Return `qacc`, and `qpos` and `qvel` one physics step later, `[N, 9]` each."""
    return _run(_accelerations, states)


def forget() -> None:
    """Drop compiled code, so that an altered module is traced anew."""
    _compiled.cache_clear()


def _components(motion: Motion, ctrl: list[jax.Array]) -> dict[str, jax.Array]:
    at = physics.problem(motion)
    result = {
        "mass": dense(at.mass),
        "bias": jnp.stack(forces.bias(at.tree, motion.qvel)),
        "passive": jnp.stack(forces.passive(motion.qpos, motion.qvel)),
        "actuator": jnp.stack(forces.actuation(ctrl)),
    }
    like = motion.qpos[0]
    units = jnp.broadcast_to(jnp.eye(9, dtype=like.dtype)[..., None], (9, 9, *like.shape))
    columns = jax.vmap(lambda unit: solver.jacobian_times(at, list(unit)), out_axes=1)(units)
    normal, edge = columns.normal, columns.edge
    limit = at.limits
    touches, acts = at.contacts.dist < 0.0, limit.dist < 0.0
    c = at.contacts
    contact = {
        "dist": c.dist,
        "x": c.x,
        "z": c.z,
        "jacobian": jnp.stack([normal + edge, normal - edge, normal, normal], 1),
        "aref": -jnp.stack([c.normal + c.edge, c.normal - c.edge, c.normal, c.normal], 1),
        "regularisation": jnp.stack([1.0 / c.weight] * 4, 1),
    }
    limits = {
        "limit_dist": limit.dist,
        "limit_sign": limit.sign,
        "limit_aref": -limit.offset,
        "limit_regularisation": 1.0 / limit.weight,
    }
    for name, value in contact.items():
        mask = touches.reshape(16, *(1,) * (value.ndim - 2), -1)
        result[name] = jnp.where(mask, value, jnp.nan)
    return result | {name: jnp.where(acts, value, jnp.nan) for name, value in limits.items()}


def _accelerations(motion: Motion, ctrl: list[jax.Array]) -> dict[str, jax.Array]:
    then = physics.advance(motion, ctrl)
    parts = {
        "qacc": physics.solve(motion, ctrl).solution.qacc,
        "qpos": then.qpos,
        "qvel": then.qvel,
    }
    return {name: jnp.stack(value) for name, value in parts.items()}


@functools.cache
def _compiled(function: Callable[..., Any]) -> Any:
    options = CPU_OPTIONS if jax.default_backend() == "cpu" else None
    return jax.jit(function, compiler_options=options)


def _run(function: Callable[..., Any], states: States) -> dict[str, Floats]:
    with jax.enable_x64(True):
        qpos, qvel, ctrl = (list(np.asarray(part, np.float64).T) for part in states)
        found = jax.device_get(_compiled(function)(Motion(qpos, qvel), ctrl))
    return {name: np.moveaxis(value, -1, 0) for name, value in found.items()}
