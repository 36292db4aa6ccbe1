"""Planar kinematics of the tree: poses, joint axes, twists, points.

One array per quantity: every scalar of the formulas is an array of its own, of shape `[]` for one
lane and `[B]` for a batch, and nothing is stacked, so that a batch is the last (and only) axis of
whatever the compiler sees. All functions work on either shape and on any float dtype.

Positions are taken relative to the torso's origin, so that the distance travelled never costs
precision. A twist `(x, z, w)` is the velocity of the body-fixed point now at the torso's origin and
the angular velocity about +y; a wrench `(x, z, w)` is a force and its moment about that origin.
With that sign of the angle a point at `(px, pz)` moves at `(x + w pz, z - w px)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp

from hub_jax.cheetah.constants import BODIES

Scalar = jax.Array
Point = tuple[Scalar | float, Scalar | float]
Scalars = Sequence[Scalar]  # one per degree of freedom (9) unless said otherwise


class Planar(NamedTuple):
    """A twist (m/s, m/s, rad/s), its derivative, or a wrench (N, N, N m), about the torso."""

    x: Scalar
    z: Scalar
    w: Scalar

    def __add__(self, other: Planar) -> Planar:  # type: ignore[override]  # a vector, no tuple
        return Planar(self.x + other.x, self.z + other.z, self.w + other.w)


class Pose(NamedTuple):
    """Where a body's joint is, relative to the torso's origin (m), and how the body is turned."""

    x: Scalar
    z: Scalar
    cos: Scalar
    sin: Scalar

    def turn(self, local: Point) -> tuple[Scalar, Scalar]:
        """Return the vector `local` of the body's frame in world axes."""
        x, z = local
        return x * self.cos + z * self.sin, z * self.cos - x * self.sin

    def point(self, local: Point) -> tuple[Scalar, Scalar]:
        """Return the point `local` of the body's frame, relative to the torso's origin."""
        x, z = self.turn(local)
        return self.x + x, self.z + z


def poses(qpos: Scalars) -> list[Pose]:
    """Return the pose of each of the 7 bodies."""
    zero = jnp.zeros_like(qpos[2])
    result: list[Pose] = []
    angles: list[Scalar] = []
    for index, body in enumerate(BODIES):
        if body.parent < 0:
            angle, x, z = qpos[2], zero, zero
        else:
            angle = angles[body.parent] + qpos[index + 2]
            x, z = result[body.parent].point(body.joint)
        angles.append(angle)
        result.append(Pose(x, z, jnp.cos(angle), jnp.sin(angle)))
    return result


def hinge_axis(pose: Pose) -> tuple[Scalar, Scalar]:
    """Return `(x, z)` of the twist per unit of a hinge's velocity; its `w` is 1."""
    return -pose.z, pose.x


def twists(tree: Sequence[Pose], velocity: Scalars) -> list[Planar]:
    """Return each body's twist under the generalised `velocity` (or acceleration, or step)."""
    result = [Planar(velocity[0], velocity[1], velocity[2])]
    for index, body in enumerate(BODIES[1:], start=1):
        (x, z), rate = hinge_axis(tree[index]), velocity[index + 2]
        above = result[body.parent]
        result.append(Planar(above.x + x * rate, above.z + z * rate, above.w + rate))
    return result


def generalised(tree: Sequence[Pose], wrenches: Sequence[Planar]) -> list[Scalar]:
    """Return the 9 generalised forces of one wrench on each body (the transpose of `twists`)."""
    total = list(wrenches)
    forces: list[Scalar] = []
    for index in range(len(BODIES) - 1, 0, -1):
        x, z = hinge_axis(tree[index])
        wrench = total[index]
        forces.append(x * wrench.x + z * wrench.z + wrench.w)
        parent = BODIES[index].parent
        total[parent] = total[parent] + wrench
    return [*total[0], *reversed(forces)]
