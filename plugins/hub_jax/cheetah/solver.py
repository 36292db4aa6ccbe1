"""Newton's method on MuJoCo's constrained acceleration, with a fixed number of iterations.

The acceleration minimises (MuJoCo documentation, "Computation", "Primal problem")

    1/2 (a - a_smooth)' M (a - a_smooth) + sum_i D_i / 2 min(0, J_i a - aref_i)^2

a convex, piecewise quadratic function: once the set of active rows is right, one full step is
exact. Fixed counts make the cost the same for every lane, which a batch needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from hub_jax.cheetah.arrow import Arrow, Stiffness, project, solve
from hub_jax.cheetah.constants import ARMATURE, CAPSULES, FRICTION
from hub_jax.cheetah.constraints import Contacts, Limits, point_rows
from hub_jax.cheetah.kinematics import Planar, Pose, Scalar, Scalars, generalised, twists

NEWTON_ITERATIONS = 6  # 4 miss some contact states by up to 1e-2
LINE_SEARCH_STEPS = 1  # beyond the full step


class Problem(NamedTuple):
    """What stays fixed while one acceleration is solved for."""

    tree: Sequence[Pose]
    inertia: Sequence[Stiffness]
    mass: Arrow
    contacts: Contacts
    limits: Limits


class Rows(NamedTuple):
    """`J a - aref` of every constraint, or `J p` of a search direction `p`.

    Attributes:
        normal: `[16, ...]`, of the contacts' normals, m/s^2.
        edge: `[16, ...]`, friction times tangent: what the x edges add to and subtract from it.
        limit: `[6, ...]`, of the limits, rad/s^2.
    """

    normal: Scalar
    edge: Scalar
    limit: Scalar

    def moved(self, size: Scalar, move: Rows) -> Rows:
        """Return the rows after a step of `size` along `move`."""
        return Rows(*(at + size * rate for at, rate in zip(self, move, strict=True)))


class Iterate(NamedTuple):
    """One iterate: the acceleration, `M a - qfrc_smooth`, and the rows' residuals."""

    qacc: list[Scalar]
    excess: list[Scalar]
    rows: Rows


def jacobian_times(problem: Problem, vector: Scalars) -> Rows:
    """Return `J vector` of every row."""
    at = problem.contacts
    normal, edge = point_rows(at.x, at.z, twists(problem.tree, vector))
    return Rows(normal, edge, problem.limits.sign * jnp.stack(vector[3:]))


def newton(problem: Problem, smooth: Scalars) -> Iterate:
    """Return the constrained acceleration, from `M^-1 smooth` on.

    Args:
        problem: Matrices and constraints.
        smooth: Generalised force without constraints, 9.
    """
    qacc = solve(problem.mass, smooth)
    offset = Rows(problem.contacts.normal, problem.contacts.edge, problem.limits.offset)
    rows = Rows(*(a + b for a, b in zip(offset, jacobian_times(problem, qacc), strict=True)))
    iterate = Iterate(qacc, [jnp.zeros_like(a) for a in qacc], rows)

    def step(_: int, at: Iterate) -> Iterate:
        return newton_step(problem, at)

    result: Iterate = lax.fori_loop(0, NEWTON_ITERATIONS, step, iterate)
    return result


def newton_step(problem: Problem, iterate: Iterate) -> Iterate:
    """Return the iterate after one Newton step with a line search."""
    force, hessian = force_and_hessian(problem, iterate.rows)
    step = solve(hessian, [f - e for f, e in zip(force, iterate.excess, strict=True)])
    move = Iterate(step, problem.mass.times(step), jacobian_times(problem, step))
    size = line_search(problem, iterate, move)
    return Iterate(
        [a + size * p for a, p in zip(iterate.qacc, move.qacc, strict=True)],
        [a + size * p for a, p in zip(iterate.excess, move.excess, strict=True)],
        iterate.rows.moved(size, move.rows),
    )


def force_and_hessian(problem: Problem, rows: Rows) -> tuple[list[Scalar], Arrow]:
    """Return `qfrc_constraint` (9) at the residuals `rows`, and `M + J' D_active J`."""
    wrench, curvature = _contact_terms(problem.contacts, rows)
    force = generalised(problem.tree, [Planar(*part) for part in _by_body(wrench)])
    maps = [
        inertia + Stiffness(*part)
        for inertia, part in zip(problem.inertia, _by_body(curvature), strict=True)
    ]
    limits = problem.limits
    push = limits.sign * limits.weight * jnp.minimum(rows.limit, 0.0)
    for index in range(len(push)):
        force[index + 3] = force[index + 3] - push[index]
    stiff = jnp.where(rows.limit < 0.0, limits.weight, 0.0) + ARMATURE
    return force, project(problem.tree, maps).plus_diagonal(list(stiff))


def line_search(problem: Problem, start: Iterate, move: Iterate) -> Scalar:
    """Return the step size that minimises the cost along `move`.

    The cost's derivative along the line grows and is piecewise linear. The search starts with the
    full step, at which Newton's method on that derivative arrives from 0, and follows it inside
    the bracket known so far; where a step would leave the bracket, its middle is taken.

    Args:
        problem: Weights of the rows.
        start: The iterate.
        move: The search direction, `M` times it, and `J` times it.
    """
    slope, curve = _dot(start.excess, move.qacc), _dot(move.excess, move.qacc)
    size = jnp.ones_like(slope)
    low, high = jnp.zeros_like(slope), jnp.full_like(slope, jnp.inf)
    for _ in range(LINE_SEARCH_STEPS):
        first, second = _derivatives(problem, start.rows.moved(size, move.rows), move.rows)
        first, second = first + slope + size * curve, second + curve
        low, high = jnp.where(first < 0.0, size, low), jnp.where(first < 0.0, high, size)
        trial = size - first / jnp.maximum(second, np.finfo(second.dtype).tiny)
        size = jnp.where((trial >= low) & (trial <= high), trial, 0.5 * (low + high))
    return size


def _derivatives(problem: Problem, at: Rows, move: Rows) -> tuple[Scalar, Scalar]:
    """Return first and second derivative of the constraints' cost at the residuals `at`."""
    slope = curve = jnp.zeros_like(at.normal)
    for sign, count in ((0.0, 2.0), (1.0, 1.0), (-1.0, 1.0)):
        value = at.normal + sign * at.edge if sign else at.normal
        rate = move.normal + sign * move.edge if sign else move.normal
        push = count * jnp.where(value < 0.0, rate, 0.0)
        slope, curve = slope + push * value, curve + push * rate
    weight, limits = problem.contacts.weight, problem.limits
    push = limits.weight * jnp.where(at.limit < 0.0, move.limit, 0.0)
    first = jnp.sum(weight * slope, axis=0) + jnp.sum(push * at.limit, axis=0)
    second = jnp.sum(weight * curve, axis=0) + jnp.sum(push * move.limit, axis=0)
    return first, second


def _contact_terms(at: Contacts, rows: Rows) -> tuple[Planar, Stiffness]:
    """Return each contact's wrench and curvature about the torso's origin, `[16, ...]` each."""
    values = (rows.normal, rows.normal + rows.edge, rows.normal - rows.edge)
    none, plus, minus = (at.weight * jnp.minimum(value, 0.0) for value in values)
    fz, fx = -2.0 * none - (plus + minus), FRICTION * (minus - plus)
    none, plus, minus = (jnp.where(value < 0.0, at.weight, 0.0) for value in values)
    both = plus + minus
    zz, xz, xx = 2.0 * none + both, FRICTION * (plus - minus), FRICTION**2 * both
    xw, zw = xx * at.z - xz * at.x, xz * at.z - zz * at.x
    wrench = Planar(fx, fz, at.z * fx - at.x * fz)
    return wrench, Stiffness(xx, xz, xw, zz, zw, at.z * xw - at.x * zw)


def _by_body(parts: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return, for each of the 7 bodies, the sum over its contacts of each part (`[16, ...]`)."""
    capsules = [part[: len(CAPSULES)] + part[len(CAPSULES) :] for part in parts]
    torso = [part[0] + part[1] for part in capsules]
    return [torso, *([part[k] for part in capsules] for k in range(2, len(CAPSULES)))]


def _dot(left: Scalars, right: Scalars) -> Scalar:
    first, *rest = (a * b for a, b in zip(left, right, strict=True))
    return sum(rest, first)
