"""Inertias and the smooth forces: bias, passive, actuation.

Names follow MuJoCo: `M qacc + qfrc_bias = qfrc_passive + qfrc_actuator + qfrc_constraint`.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp

from hub_jax.cheetah.arrow import Arrow, Stiffness, project
from hub_jax.cheetah.constants import ARMATURE, BODIES, GRAVITY, HINGES
from hub_jax.cheetah.kinematics import Planar, Pose, Scalar, Scalars, generalised


def inertias(tree: Sequence[Pose]) -> list[Stiffness]:
    """Return the inertia of each body about the torso's origin, as twist to momentum."""
    result = []
    for pose, body in zip(tree, BODIES, strict=True):
        px, pz = pose.point(body.com)
        hx, hz = body.mass * px, body.mass * pz
        zero = jnp.zeros_like(hx)
        turn = body.inertia + hx * px + hz * pz
        result.append(Stiffness(zero + body.mass, zero, hz, zero + body.mass, -hx, turn))
    return result


def mass_matrix(tree: Sequence[Pose]) -> Arrow:
    """Return the joint-space inertia (`mj_fullM`), armature included."""
    return project(tree, inertias(tree)).plus_diagonal([ARMATURE] * len(HINGES))


def bias(tree: Sequence[Pose], qvel: Scalars) -> list[Scalar]:
    """Return centrifugal, Coriolis and gravity forces (`qfrc_bias`), 9.

    With all joint accelerations zero no body has an angular acceleration (every axis is +y), and a
    point of a body accelerates towards the body's joint with the square of its angular velocity.
    """
    rates = [qvel[2]]
    origins = [(jnp.zeros_like(qvel[2]), jnp.zeros_like(qvel[2]))]  # acceleration of the joint
    wrenches = []
    for index, (pose, body) in enumerate(zip(tree, BODIES, strict=True)):
        if index:
            above, square = tree[body.parent], rates[body.parent] ** 2
            ax, az = origins[body.parent]
            origins.append((ax - square * (pose.x - above.x), az - square * (pose.z - above.z)))
            rates.append(rates[body.parent] + qvel[index + 2])
        (rx, rz), square = pose.turn(body.com), rates[index] ** 2
        fx = body.mass * (origins[index][0] - square * rx)
        fz = body.mass * (origins[index][1] - square * rz + GRAVITY)
        wrenches.append(Planar(fx, fz, (pose.z + rz) * fx - (pose.x + rx) * fz))
    return generalised(tree, wrenches)


def passive(qpos: Scalars, qvel: Scalars) -> list[Scalar]:
    """Return the springs' and dampers' torques (`qfrc_passive`) on the 6 hinges."""
    return [
        -hinge.stiffness * angle - hinge.damping * rate
        for hinge, angle, rate in zip(HINGES, qpos[3:], qvel[3:], strict=True)
    ]


def actuation(action: Scalars) -> list[Scalar]:
    """Return the motors' torques (`qfrc_actuator`) on the 6 hinges; actions are clipped to 1."""
    return [
        hinge.gear * jnp.clip(control, -1.0, 1.0)
        for hinge, control in zip(HINGES, action, strict=True)
    ]
