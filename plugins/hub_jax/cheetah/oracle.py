"""The reference, MuJoCo through Gymnasium's model, in the shapes of `hub_jax.cheetah.probe`."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np

from hub_jax.cheetah.constants import CAPSULES, RADIUS
from hub_jax.cheetah.probe import Floats, States

REFERENCE_ID = "HalfCheetah-v5"


def make_reference() -> gymnasium.Env[Any, Any]:
    """Return Gymnasium's HalfCheetah, with its limit of 1,000 steps."""
    return gymnasium.make(REFERENCE_ID)


@functools.cache
def model() -> Any:
    """Return the reference's compiled `mjModel`; leave it as it is."""
    env: Any = make_reference().unwrapped
    return env.model


def components(states: States) -> dict[str, Floats]:
    """Return what `probe.components` returns, read from `mj_forward`'s data."""
    rows = [_components(data) for data in _forward(states)]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def accelerations(states: States) -> dict[str, Floats]:
    """Return what `probe.accelerations` returns, from `mj_forward` and one `mj_step`."""
    import mujoco

    rows = []
    for data in _forward(states):
        qacc = data.qacc.copy()
        mujoco.mj_step(model(), data)
        rows.append({"qacc": qacc, "qpos": data.qpos.copy(), "qvel": data.qvel.copy()})
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def _forward(states: States) -> Any:
    """Yield `mjData` after `mj_forward` at each state, without a warm start from another."""
    import mujoco

    data = mujoco.MjData(model())
    for qpos, qvel, ctrl in zip(*states, strict=True):
        mujoco.mj_resetData(model(), data)
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, ctrl
        mujoco.mj_forward(model(), data)
        yield data


def _components(data: Any) -> dict[str, Floats]:
    import mujoco

    mass = np.zeros((9, 9))
    mujoco.mj_fullM(model(), data, mass)
    return {
        "mass": mass,
        "bias": data.qfrc_bias.copy(),
        "passive": data.qfrc_passive[3:].copy(),
        "actuator": data.qfrc_actuator[3:].copy(),
        **_contacts(data),
        **_limits(data),
    }


def _contacts(data: Any) -> dict[str, Floats]:
    """Return the contacts by slot: end `k // 8` of capsule `k % 8`."""
    shapes = {"dist": (16,), "x": (16,), "z": (16,), "jacobian": (16, 4, 9)}
    shapes |= {"aref": (16, 4), "regularisation": (16, 4)}
    found = {name: np.full(shape, np.nan) for name, shape in shapes.items()}
    jacobian, torso = data.efc_J.reshape(-1, 9), data.xpos[1]
    for contact in data.contact:
        slot = _slot(data, contact)
        first = contact.efc_address
        # The frame's first tangent is the capsule's axis on the floor, which points along +-x, or
        # for an upright capsule along +-y: rows in the order +x, -x, +y, -y.
        tangents = contact.frame.reshape(3, 3)[1:]
        order = [
            first + 2 * axis + side
            for want in (0, 1)
            for axis in (int(np.argmax(np.abs(tangents[:, want]))),)
            for side in ((0, 1) if tangents[axis, want] > 0 else (1, 0))
        ]
        found["dist"][slot] = contact.dist
        found["x"][slot], found["z"][slot] = (contact.pos - torso)[[0, 2]]
        found["jacobian"][slot] = jacobian[order]
        found["aref"][slot] = data.efc_aref[order]
        found["regularisation"][slot] = data.efc_R[order]
    return found


def _slot(data: Any, contact: Any) -> int:
    geom: int = max(contact.geom)  # the floor is geom 0
    axis = data.geom_xmat[geom].reshape(3, 3)[:, 2] * model().geom_size[geom][1]
    ends = [data.geom_xpos[geom] + axis, data.geom_xpos[geom] - axis]
    near = [abs(e[0] - contact.pos[0]) + abs(e[2] - RADIUS - contact.dist) for e in ends]
    return len(CAPSULES) * int(near[1] < near[0]) + geom - 1


def _limits(data: Any) -> dict[str, Floats]:
    import mujoco

    names = ("limit_dist", "limit_sign", "limit_aref", "limit_regularisation")
    found = {name: np.full(6, np.nan) for name in names}
    jacobian = data.efc_J.reshape(-1, 9)
    for row in np.flatnonzero(data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT):
        hinge = data.efc_id[row] - 3
        values = (data.efc_pos[row], jacobian[row, hinge + 3], data.efc_aref[row], data.efc_R[row])
        for name, value in zip(names, values, strict=True):
            found[name][hinge] = value
    return found
