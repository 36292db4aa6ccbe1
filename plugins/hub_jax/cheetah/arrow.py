"""Symmetric 9 x 9 matrices with the tree's sparsity: projection, product, factorisation.

The two legs meet only in the torso, so that mass matrix and Newton Hessian are arrow-shaped: a
3 x 3 block of the root, and for each leg a 3 x 3 block and its 3 x 3 coupling to the root.
Eliminating the legs first leaves no fill-in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hub_jax.cheetah.constants import BODIES, LEGS
from hub_jax.cheetah.kinematics import Planar, Pose, Scalar, Scalars, hinge_axis

Rows = list[list[Scalar]]


class Stiffness(NamedTuple):
    """A symmetric map from twist to wrench: an inertia, or a contact's curvature, about the torso.

    Entry `xw` is the force along x per unit of angular rate, and so on.
    """

    xx: Scalar
    xz: Scalar
    xw: Scalar
    zz: Scalar
    zw: Scalar
    ww: Scalar

    def __add__(self, other: Stiffness) -> Stiffness:  # type: ignore[override]  # a matrix
        return Stiffness(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def hinge(self, axis: tuple[Scalar, Scalar]) -> Planar:
        """Return the wrench of the twist `(*axis, 1)`."""
        x, z = axis
        return Planar(
            self.xx * x + self.xz * z + self.xw,
            self.xz * x + self.zz * z + self.zw,
            self.xw * x + self.zw * z + self.ww,
        )


class Arrow(NamedTuple):
    """An arrow matrix: `root` (3 x 3) and, per leg, `leg` (3 x 3) and `coupling` (root x leg)."""

    root: Rows
    legs: list[Rows]
    couplings: list[Rows]

    def plus_diagonal(self, extra: Scalars | Sequence[float]) -> Arrow:
        """Return the matrix with `extra` (6, one per hinge) added to the legs' diagonals."""
        legs = []
        for number, leg in enumerate(self.legs):
            rows = [list(row) for row in leg]
            for k in range(3):
                rows[k][k] = rows[k][k] + extra[3 * number + k]
            legs.append(rows)
        return self._replace(legs=legs)

    def times(self, vector: Scalars) -> list[Scalar]:
        """Return the product with a vector of 9."""
        root = [_dot(row, vector[:3]) for row in self.root]
        result: list[Scalar] = []
        for number, (leg, coupling) in enumerate(zip(self.legs, self.couplings, strict=True)):
            part = vector[3 + 3 * number : 6 + 3 * number]
            for k in range(3):
                root[k] = root[k] + _dot(coupling[k], part)
                column = [row[k] for row in coupling]
                result.append(_dot(leg[k], part) + _dot(column, vector[:3]))
        return root + result


def project(tree: Sequence[Pose], maps: Sequence[Stiffness]) -> Arrow:
    """Return the generalised matrix of one twist-to-wrench map on each of the 7 bodies.

    With the bodies' inertias this is the composite-rigid-body algorithm; contact curvatures add to
    the inertias, because a floor contact depends on its body's twist alone.
    """
    composite = list(maps)
    for index in range(len(BODIES) - 1, 0, -1):
        parent = BODIES[index].parent
        composite[parent] = composite[parent] + composite[index]
    legs: list[Rows] = []
    couplings: list[Rows] = []
    for leg in LEGS:
        axes = [hinge_axis(tree[body]) for body in leg]
        wrenches = [composite[body].hinge(axis) for body, axis in zip(leg, axes, strict=True)]
        entry = [[_along(axes[min(i, j)], wrenches[max(i, j)]) for j in range(3)] for i in range(3)]
        legs.append(entry)
        couplings.append([[wrench[row] for wrench in wrenches] for row in range(3)])
    s = composite[0]
    return Arrow([[s.xx, s.xz, s.xw], [s.xz, s.zz, s.zw], [s.xw, s.zw, s.ww]], legs, couplings)


def solve(matrix: Arrow, vector: Scalars) -> list[Scalar]:
    """Return the solution of `matrix x = vector` for a positive definite arrow matrix."""
    root = [list(row) for row in matrix.root]
    rhs = list(vector[:3])
    eliminated = []
    for number, (leg, coupling) in enumerate(zip(matrix.legs, matrix.couplings, strict=True)):
        factor, inverse = _factor(leg)
        part = _forward(factor, vector[3 + 3 * number : 6 + 3 * number])
        # Row i is L^-1 of the coupling's row i; the same again with the diagonal divided out.
        rows = [_forward(factor, row) for row in coupling]
        scaled = [[x * d for x, d in zip(row, inverse, strict=True)] for row in rows]
        for i in range(3):
            rhs[i] = rhs[i] - _dot(scaled[i], part)
            for j in range(i + 1):
                root[i][j] = root[i][j] - _dot(scaled[i], rows[j])
        eliminated.append((factor, inverse, part, scaled))
    factor, inverse = _factor(root)
    middle = _forward(factor, rhs)
    top = _backward(factor, [x * d for x, d in zip(middle, inverse, strict=True)])
    result = list(top)
    for factor, inverse, part, scaled in eliminated:
        y = [part[k] * inverse[k] - _dot([row[k] for row in scaled], top) for k in range(3)]
        result += _backward(factor, y)
    return result


def _along(axis: tuple[Scalar, Scalar], wrench: Planar) -> Scalar:
    return axis[0] * wrench.x + axis[1] * wrench.z + wrench.w


def _dot(left: Scalars, right: Scalars) -> Scalar:
    first, *rest = (a * b for a, b in zip(left, right, strict=True))
    return sum(rest, first)


def _factor(rows: Rows) -> tuple[tuple[Scalar, Scalar, Scalar], list[Scalar]]:
    """Return `L` (entries 10, 20, 21) and `1/D` of `L D L^T`; reads the lower triangle."""
    d0 = 1.0 / rows[0][0]
    l10, l20 = rows[1][0] * d0, rows[2][0] * d0
    d1 = 1.0 / (rows[1][1] - l10 * rows[1][0])
    below = rows[2][1] - l20 * rows[1][0]
    l21 = below * d1
    d2 = 1.0 / (rows[2][2] - l20 * rows[2][0] - l21 * below)
    return (l10, l20, l21), [d0, d1, d2]


def _forward(factor: tuple[Scalar, Scalar, Scalar], rhs: Scalars) -> list[Scalar]:
    l10, l20, l21 = factor
    y1 = rhs[1] - l10 * rhs[0]
    return [rhs[0], y1, rhs[2] - l20 * rhs[0] - l21 * y1]


def _backward(factor: tuple[Scalar, Scalar, Scalar], rhs: Scalars) -> list[Scalar]:
    l10, l20, l21 = factor
    x1 = rhs[1] - l21 * rhs[2]
    return [rhs[0] - l10 * x1 - l20 * rhs[2], x1, rhs[2]]
