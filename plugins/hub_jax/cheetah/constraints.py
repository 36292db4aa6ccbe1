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
    START_HEIGHT,
    Pair,
    SoftConstraint,
)
from hub_jax.cheetah.kinematics import Planar, Pose, Scalar, Scalars

# (body, end sphere's centre in its frame) of the 16 possible contacts.
SLOTS: tuple[tuple[int, Pair], ...] = tuple(
    (capsule.body, end) for capsule in CAPSULES for end in capsule.ends()
)


class Contact(NamedTuple):
    """One end of a capsule against the floor.

    Attributes:
        body: Index of the body (a Python int: structure, not data).
        x: Contact point relative to the torso's origin, m.
        z: Likewise; midway between floor and sphere, as MuJoCo places it.
        dist: Distance of sphere and floor, m; the contact acts where it is negative.
        weight: `D` of every edge, 1/R; 0 where the contact does not act.
        normal: `b v_n + k d dist`: minus `aref` of the normal row, m/s^2.
        tangent: `b v_x`: what the edges add and subtract, times the friction.
    """

    body: int
    x: Scalar
    z: Scalar
    dist: Scalar
    weight: Scalar
    normal: Scalar
    tangent: Scalar

    def velocity(self, bodies: Sequence[Planar]) -> tuple[Scalar, Scalar]:
        """Return `(x, z)` velocity of the contact point under the bodies' twists."""
        twist = bodies[self.body]
        return twist.x + twist.w * self.z, twist.z - twist.w * self.x


class Limit(NamedTuple):
    """The limit of one hinge, at most one side of which can be violated.

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
    """Return the impedance at the violation `dist <= 0`."""
    x = jnp.minimum(-dist / soft.width, 1.0)
    y = jnp.where(x < 0.5, 2.0 * x * x, 1.0 - 2.0 * (1.0 - x) * (1.0 - x))
    low = max(soft.dmin, MIN_IMPEDANCE)
    return low + y * (soft.dmax - low)


def contacts(height: Scalar, tree: Sequence[Pose], bodies: Sequence[Planar]) -> list[Contact]:
    """Return the 16 contact slots, in the order of `SLOTS`.

    Args:
        height: Of the torso's origin above the floor, m.
        tree: The bodies' poses.
        bodies: The bodies' twists under the generalised velocity.
    """
    b, k = damping_and_stiffness(CONTACT)
    result = []
    for body, end in SLOTS:
        x, z = tree[body].point(end)
        dist = height + z - RADIUS
        d = impedance(CONTACT, jnp.minimum(dist, 0.0))
        # diagApprox of a pyramidal row is (1 + friction^2) times the body's inverse weight.
        scale = 2.0 * FRICTION**2 * (1.0 + FRICTION**2) * BODIES[body].invweight
        weight = jnp.where(dist < 0.0, d / ((1.0 - d) * scale), 0.0)
        zero = jnp.zeros_like(dist)
        slot = Contact(body, x, 0.5 * dist - height, dist, weight, zero, zero)
        vx, vz = slot.velocity(bodies)
        result.append(slot._replace(normal=b * vz + k * d * dist, tangent=b * vx))
    return result


def limits(qpos: Scalars, qvel: Scalars) -> list[Limit]:
    """Return the 6 hinges' limits."""
    b, k = damping_and_stiffness(LIMIT)
    result = []
    for hinge, angle, rate in zip(HINGES, qpos[3:], qvel[3:], strict=True):
        below, above = angle - hinge.lower, hinge.upper - angle
        sign = jnp.where(below < above, 1.0, -1.0).astype(angle.dtype)
        dist = jnp.minimum(below, above)
        d = impedance(LIMIT, jnp.minimum(dist, 0.0))
        weight = jnp.where(dist < 0.0, d / ((1.0 - d) * hinge.invweight), 0.0)
        result.append(Limit(sign, dist, weight, b * sign * rate + k * d * dist))
    return result


def start_height(qpos: Scalars) -> Scalar:
    """Return the height of the torso's origin above the floor, m."""
    return qpos[1] + START_HEIGHT
