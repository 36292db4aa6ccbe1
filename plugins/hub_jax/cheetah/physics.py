"""One MuJoCo step of the HalfCheetah: forces, constrained acceleration, Euler integration."""

from __future__ import annotations

from typing import NamedTuple

from hub_jax.cheetah import arrow, constraints, forces, kinematics, solver
from hub_jax.cheetah.constants import HINGES, START_HEIGHT, TIMESTEP
from hub_jax.cheetah.kinematics import Scalar, Scalars
from hub_jax.cheetah.solver import Iterate, Problem


class Motion(NamedTuple):
    """Generalised positions (m, m, rad...) and velocities, 9 each."""

    qpos: list[Scalar]
    qvel: list[Scalar]


def smooth_force(problem: Problem, motion: Motion, action: Scalars) -> list[Scalar]:
    """Return `qfrc_smooth`: passive and motor forces less the bias, 9."""
    drift = [-f for f in forces.bias(problem.tree, motion.qvel)]
    springs = forces.passive(motion.qpos, motion.qvel)
    motors = forces.actuation(action)
    return drift[:3] + [d + s + m for d, s, m in zip(drift[3:], springs, motors, strict=True)]


def problem(motion: Motion) -> Problem:
    """Return matrices and constraints at `motion`."""
    tree = kinematics.poses(motion.qpos)
    bodies = kinematics.twists(tree, motion.qvel)
    return Problem(
        tree,
        forces.inertias(tree),
        forces.mass_matrix(tree),
        constraints.contacts(motion.qpos[1] + START_HEIGHT, tree, bodies),
        constraints.limits(motion.qpos, motion.qvel),
    )


class Solved(NamedTuple):
    """The constrained acceleration at one motion, and what it was made of."""

    problem: Problem
    smooth: list[Scalar]  # qfrc_smooth, 9
    solution: Iterate


def solve(motion: Motion, action: Scalars) -> Solved:
    """Return the constrained acceleration at `motion` (as `mj_forward`)."""
    at = problem(motion)
    smooth = smooth_force(at, motion, action)
    return Solved(at, smooth, solver.newton(at, smooth))


def advance(motion: Motion, action: Scalars) -> Motion:
    """Return the motion one timestep later (`mj_step` with the Euler integrator).

    The hinges' damping is integrated implicitly: `(M + h D)` takes the place of `M` once the
    constrained acceleration is known.
    """
    at = solve(motion, action)
    force = [s + e for s, e in zip(at.smooth, at.solution.excess, strict=True)]
    damping = [TIMESTEP * hinge.damping for hinge in HINGES]
    qacc = arrow.solve(at.problem.mass.plus_diagonal(damping), force)
    qvel = [v + TIMESTEP * a for v, a in zip(motion.qvel, qacc, strict=True)]
    qpos = [q + TIMESTEP * v for q, v in zip(motion.qpos, qvel, strict=True)]
    return Motion(qpos, qvel)
