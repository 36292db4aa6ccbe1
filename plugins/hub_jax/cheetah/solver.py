"""Newton's method on MuJoCo's constrained acceleration, with a fixed number of iterations.

The acceleration minimises (MuJoCo documentation, "Computation", "Primal problem")

    1/2 (a - a_smooth)' M (a - a_smooth) + sum_i D_i / 2 min(0, J_i a - aref_i)^2

a convex, piecewise quadratic function: once the set of active rows is right, one full step is
exact. Fixed counts make the cost the same for every lane, which a batch needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import jax.numpy as jnp
from jax import lax

from hub_jax.cheetah.arrow import Arrow, Stiffness, project, solve
from hub_jax.cheetah.constants import ARMATURE, BODIES, FRICTION
from hub_jax.cheetah.constraints import Contact, Limit
from hub_jax.cheetah.kinematics import Planar, Pose, Scalar, Scalars, generalised, twists

Term = TypeVar("Term", Planar, Stiffness)

NEWTON_ITERATIONS = 6  # 4 miss some contact states by up to 1e-2
LINE_SEARCH_STEPS = 3  # beyond the full step


class Problem(NamedTuple):
    """What stays fixed while one acceleration is solved for."""

    tree: Sequence[Pose]
    inertia: Sequence[Stiffness]
    mass: Arrow
    contacts: Sequence[Contact]
    limits: Sequence[Limit]


class Rows(NamedTuple):
    """`J a - aref` of every constraint, or `J p` of a search direction `p`.

    Attributes:
        normal: Of the 16 contacts' normals, m/s^2.
        edge: Friction times tangent: what the x edges add to and subtract from the normal.
        limit: Of the 6 limits, rad/s^2.
    """

    normal: list[Scalar]
    edge: list[Scalar]
    limit: list[Scalar]


class Iterate(NamedTuple):
    """One iterate: the acceleration, `M a - qfrc_smooth`, and the rows' residuals."""

    qacc: list[Scalar]
    excess: list[Scalar]
    rows: Rows


def jacobian_times(problem: Problem, vector: Scalars) -> Rows:
    """Return `J vector` of every row."""
    bodies = twists(problem.tree, vector)
    points = [contact.velocity(bodies) for contact in problem.contacts]
    return Rows(
        [z for _, z in points],
        [FRICTION * x for x, _ in points],
        [limit.sign * v for limit, v in zip(problem.limits, vector[3:], strict=True)],
    )


def newton(problem: Problem, smooth: Scalars, iterations: int, line_steps: int) -> Iterate:
    """Return the constrained acceleration, from `M^-1 smooth` on.

    Args:
        problem: Matrices and constraints.
        smooth: Generalised force without constraints, 9.
        iterations: Newton steps.
        line_steps: Newton steps of each line search, after the full step.
    """
    qacc = solve(problem.mass, smooth)
    at = jacobian_times(problem, qacc)
    rows = Rows(
        [c.normal + j for c, j in zip(problem.contacts, at.normal, strict=True)],
        [FRICTION * c.tangent + j for c, j in zip(problem.contacts, at.edge, strict=True)],
        [k.offset + j for k, j in zip(problem.limits, at.limit, strict=True)],
    )
    iterate = Iterate(qacc, [jnp.zeros_like(a) for a in qacc], rows)
    return lax.fori_loop(0, iterations, lambda _, at: newton_step(problem, at, line_steps), iterate)


def newton_step(problem: Problem, iterate: Iterate, line_steps: int) -> Iterate:
    """Return the iterate after one Newton step with an exact line search."""
    force, hessian = force_and_hessian(problem, iterate.rows)
    descent = [f - e for f, e in zip(force, iterate.excess, strict=True)]
    step = solve(hessian, descent)
    moved = jacobian_times(problem, step)
    lifted = problem.mass.times(step)
    size = line_search(problem, iterate, Iterate(step, lifted, moved), line_steps)
    return Iterate(
        _axpy(size, step, iterate.qacc),
        _axpy(size, lifted, iterate.excess),
        Rows(*(_axpy(size, m, r) for m, r in zip(moved, iterate.rows, strict=True))),
    )


def force_and_hessian(problem: Problem, rows: Rows) -> tuple[list[Scalar], Arrow]:
    """Return `qfrc_constraint` (9) at the residuals `rows`, and `M + J' D_active J`."""
    wrenches: list[list[Planar]] = [[] for _ in BODIES]
    maps = [[inertia] for inertia in problem.inertia]
    for contact, normal, edge in zip(problem.contacts, rows.normal, rows.edge, strict=True):
        wrench, curvature = _contact_terms(contact, normal, edge)
        wrenches[contact.body].append(wrench)
        maps[contact.body].append(curvature)
    force = generalised(problem.tree, [_total(parts) for parts in wrenches])
    stiff = []
    for index, (limit, row) in enumerate(zip(problem.limits, rows.limit, strict=True)):
        push = jnp.minimum(row, 0.0)
        force[index + 3] = force[index + 3] - limit.sign * limit.weight * push
        stiff.append(jnp.where(row < 0.0, limit.weight, 0.0) + ARMATURE)
    hessian = project(problem.tree, [_total(parts) for parts in maps])
    return force, hessian.plus_diagonal(stiff)


def line_search(problem: Problem, start: Iterate, move: Iterate, steps: int) -> Scalar:
    """Return the step size that minimises the cost along `move`.

    The cost's derivative along the line grows and is piecewise linear. The search starts with the
    full step, at which Newton's method on that derivative arrives from 0, and follows it inside
    the bracket known so far; where a step would leave the bracket, its middle is taken.

    Args:
        problem: Weights of the rows.
        start: The iterate.
        move: The search direction, `M` times it, and `J` times it.
        steps: Newton steps after the full one.
    """
    slope, curve = _dot(start.excess, move.qacc), _dot(move.excess, move.qacc)
    size = jnp.ones_like(slope)
    low, high = jnp.zeros_like(slope), jnp.full_like(slope, jnp.inf)
    for _ in range(steps):
        first, second = _derivatives(problem, start.rows, move.rows, size)
        first, second = first + slope + size * curve, second + curve
        low, high = jnp.where(first < 0.0, size, low), jnp.where(first < 0.0, high, size)
        trial = size - first / jnp.maximum(second, jnp.finfo(second.dtype).tiny)
        size = jnp.where((trial >= low) & (trial <= high), trial, 0.5 * (low + high))
    return size


def _derivatives(problem: Problem, rows: Rows, move: Rows, size: Scalar) -> tuple[Scalar, Scalar]:
    """Return first and second derivative of the constraints' cost at `size` along `move`."""
    first = second = jnp.zeros_like(size)
    at = Rows(*(_axpy(size, m, r) for m, r in zip(move, rows, strict=True)))
    for k, contact in enumerate(problem.contacts):
        n, e = at.normal[k], at.edge[k]
        dn, de = move.normal[k], move.edge[k]
        slope = curve = jnp.zeros_like(size)
        for value, rate, count in ((n, dn, 2.0), (n + e, dn + de, 1.0), (n - e, dn - de, 1.0)):
            slope += count * jnp.minimum(value, 0.0) * rate
            curve += count * jnp.where(value < 0.0, rate * rate, 0.0)
        first, second = first + contact.weight * slope, second + contact.weight * curve
    for limit, value, rate in zip(problem.limits, at.limit, move.limit, strict=True):
        first += limit.weight * jnp.minimum(value, 0.0) * rate
        second += limit.weight * jnp.where(value < 0.0, rate * rate, 0.0)
    return first, second


def _contact_terms(contact: Contact, normal: Scalar, edge: Scalar) -> tuple[Planar, Stiffness]:
    """Return the contact's wrench on its body and its curvature, about the torso's origin."""
    forward, backward = normal + edge, normal - edge
    push = [-contact.weight * jnp.minimum(r, 0.0) for r in (normal, forward, backward)]
    fz = 2.0 * push[0] + push[1] + push[2]
    fx = FRICTION * (push[1] - push[2])
    stiff = [jnp.where(r < 0.0, contact.weight, 0.0) for r in (normal, forward, backward)]
    zz = 2.0 * stiff[0] + stiff[1] + stiff[2]
    xz = FRICTION * (stiff[1] - stiff[2])
    xx = FRICTION**2 * (stiff[1] + stiff[2])
    x, z = contact.x, contact.z
    xw, zw = xx * z - xz * x, xz * z - zz * x
    wrench = Planar(fx, fz, z * fx - x * fz)
    return wrench, Stiffness(xx, xz, xw, zz, zw, z * xw - x * zw)


def _total(parts: Sequence[Term]) -> Term:
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def _dot(left: Scalars, right: Scalars) -> Scalar:
    first, *rest = (a * b for a, b in zip(left, right, strict=True))
    return sum(rest, first)


def _axpy(size: Scalar, move: Scalars, start: Scalars) -> list[Scalar]:
    return [a + size * b for a, b in zip(start, move, strict=True)]
