"""Joint limits and floor contacts as MuJoCo's soft constraints.

A constraint row with violation `pos < 0`, Jacobian `J` and velocity `J qvel` has, in MuJoCo's
terms (documentation, chapter "Computation", section "Constraint model"):

    impedance  d(pos) = dmin + y(|pos| / width) (dmax - dmin), y a sigmoid of power 2
    aref       = -b J qvel - k d pos,  b = 2 / (dmax tc),  k = 1 / (dmax tc ratio)^2
    R          = (1 - d) / d * diagApprox,  D = 1 / R

and pushes with `D max(0, aref - J qacc)`. A contact has one row per edge of the friction pyramid:
normal +- friction * tangent for the tangents x and y, all with the same D (R is scaled by
`2 friction^2`). Nothing here moves along y, so that both y edges equal the normal row; they are
kept as one row of double weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp

from hub_jax.cheetah.constants import (
    BODIES,
    CAPSULES,
    CONTACT,
    FRICTION,
    HINGES,
    LIMIT,
    MIN_IMPEDANCE,
    RADIUS,
    Pair,
    SoftConstraint,
)
from hub_jax.cheetah.kinematics import Planar, Pose, Scalar, Scalars

# Slot k of the 16 is end k // 8 of capsule k % 8.
SLOT_BODIES = tuple(capsule.body for capsule in CAPSULES) * 2
SLOT_ENDS: tuple[Pair, ...] = tuple(capsule.ends()[end] for end in (0, 1) for capsule in CAPSULES)


class Contacts(NamedTuple):
    """The 16 ends of the capsules against the floor, in fields of shape `[16, ...]`.

    Attributes:
        x: Contact point relative to the torso's origin, m.
        z: Likewise; midway between floor and sphere, as MuJoCo places it.
        dist: Distance of sphere and floor, m; the contact acts where it is negative.
        weight: `D` of every edge, 1/R; 0 where the contact does not act.
        normal: `b v_n + k d dist`: minus `aref` of the normal row, m/s^2.
        edge: Friction times `b v_x`: what the edges add to that and subtract from it, m/s^2.
    """

    x: Scalar
    z: Scalar
    dist: Scalar
    weight: Scalar
    normal: Scalar
    edge: Scalar


class Limits(NamedTuple):
    """The limits of the hinges, at most one side of each violated, in fields of shape `[6, ...]`.

    Attributes:
        sign: +1 at the lower limit, -1 at the upper: the row's only Jacobian entry.
        dist: Distance to the nearer limit, rad; the limit acts where it is negative.
        weight: `D`; 0 where the limit does not act.
        offset: Minus `aref`, rad/s^2.
    """

    sign: Scalar
    dist: Scalar
    weight: Scalar
    offset: Scalar


def damping_and_stiffness(soft: SoftConstraint) -> Pair:
    """Return MuJoCo's `b` (1/s) and `k` (1/s^2) of a positive `solref`."""
    rate = 1.0 / (soft.dmax * soft.time_constant)
    return 2.0 * rate, (rate / soft.damping_ratio) ** 2


def impedance(soft: SoftConstraint, dist: Scalar) -> Scalar:
    """Return the impedance at the violation `dist`; without one, that at zero violation."""
    x = jnp.clip(-dist / soft.width, 0.0, 1.0)
    y = jnp.where(x < 0.5, 2.0 * x * x, 1.0 - 2.0 * (1.0 - x) * (1.0 - x))
    low = max(soft.dmin, MIN_IMPEDANCE)
    return low + y * (soft.dmax - low)


def contacts(height: Scalar, tree: Sequence[Pose], bodies: Sequence[Planar]) -> Contacts:
    """Return the contacts at a motion.

    Args:
        height: Of the torso's origin above the floor, m.
        tree: The bodies' poses.
        bodies: The bodies' twists under the generalised velocity.
    """
    b, k = damping_and_stiffness(CONTACT)
    frame = Pose(*(jnp.stack([part[i] for i in SLOT_BODIES]) for part in zip(*tree, strict=True)))
    x, z = frame.point(
        (_column(frame.x, [e[0] for e in SLOT_ENDS]), _column(frame.x, [e[1] for e in SLOT_ENDS]))
    )
    dist = height + z - RADIUS
    d = impedance(CONTACT, dist)
    # diagApprox of a pyramid's row is (1 + friction^2) times the body's inverse weight, and R is
    # 2 friction^2 times the usual.
    scale = 2.0 * FRICTION**2 * (1.0 + FRICTION**2)
    diagonal = _column(dist, [scale * BODIES[i].invweight for i in SLOT_BODIES])
    weight = jnp.where(dist < 0.0, d / ((1.0 - d) * diagonal), 0.0)
    below = 0.5 * dist - height
    normal, edge = point_rows(x, below, bodies)
    return Contacts(x, below, dist, weight, b * normal + k * d * dist, b * edge)


def point_rows(x: Scalar, z: Scalar, bodies: Sequence[Planar]) -> tuple[Scalar, Scalar]:
    """Return the contact points' `(normal, friction * tangent)` motion under the bodies' twists."""
    twist = Planar(*(jnp.stack([p[i] for i in SLOT_BODIES]) for p in zip(*bodies, strict=True)))
    return twist.z - twist.w * x, FRICTION * (twist.x + twist.w * z)


def limits(qpos: Scalars, qvel: Scalars) -> Limits:
    """Return the 6 hinges' limits."""
    b, k = damping_and_stiffness(LIMIT)
    angle, rate = jnp.stack(qpos[3:]), jnp.stack(qvel[3:])
    below = angle - _column(angle, [hinge.lower for hinge in HINGES])
    above = _column(angle, [hinge.upper for hinge in HINGES]) - angle
    sign = jnp.where(below < above, 1.0, -1.0).astype(angle.dtype)
    dist = jnp.minimum(below, above)
    d = impedance(LIMIT, dist)
    invweight = _column(angle, [hinge.invweight for hinge in HINGES])
    weight = jnp.where(dist < 0.0, d / ((1.0 - d) * invweight), 0.0)
    return Limits(sign, dist, weight, b * sign * rate + k * d * dist)


def _column(like: Scalar, values: Sequence[float]) -> Scalar:
    """Return `values` along the first axis, to broadcast against `like` (`[len(values), ...]`)."""
    return jnp.asarray(values, like.dtype).reshape(-1, *(1,) * (like.ndim - 1))
