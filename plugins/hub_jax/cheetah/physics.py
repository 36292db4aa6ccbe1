"""One MuJoCo step of the HalfCheetah: forces, constrained acceleration, Euler integration."""

from __future__ import annotations

from typing import NamedTuple

from hub_jax.cheetah.arrow import solve
from hub_jax.cheetah.constants import HINGES, TIMESTEP
from hub_jax.cheetah.constraints import contacts, limits, start_height
from hub_jax.cheetah.forces import actuation, bias, inertias, mass_matrix, passive
from hub_jax.cheetah.kinematics import Scalar, Scalars, poses, twists
from hub_jax.cheetah.solver import LINE_SEARCH_STEPS, NEWTON_ITERATIONS, Iterate, Problem, newton

DAMPING = [TIMESTEP * hinge.damping for hinge in HINGES]


class Motion(NamedTuple):
    """Generalised positions (m, m, rad...) and velocities, 9 each."""

    qpos: list[Scalar]
    qvel: list[Scalar]


def smooth_force(problem: Problem, motion: Motion, action: Scalars) -> list[Scalar]:
    """Return `qfrc_smooth`: passive and motor forces less the bias, 9."""
    drift = [-f for f in bias(problem.tree, motion.qvel)]
    springs = passive(motion.qpos, motion.qvel)
    motors = actuation(action)
    return drift[:3] + [d + s + m for d, s, m in zip(drift[3:], springs, motors, strict=True)]


def problem(motion: Motion) -> Problem:
    """Return matrices and constraints at `motion`."""
    tree = poses(motion.qpos)
    bodies = twists(tree, motion.qvel)
    return Problem(
        tree,
        inertias(tree),
        mass_matrix(tree),
        contacts(start_height(motion.qpos), tree, bodies),
        limits(motion.qpos, motion.qvel),
    )


def acceleration(
    motion: Motion,
    action: Scalars,
    iterations: int = NEWTON_ITERATIONS,
    line_steps: int = LINE_SEARCH_STEPS,
) -> tuple[Problem, Iterate]:
    """Return the problem at `motion` and its solution (`qacc` of `mj_forward`)."""
    at = problem(motion)
    return at, newton(at, smooth_force(at, motion, action), iterations, line_steps)


def step(
    motion: Motion,
    action: Scalars,
    iterations: int = NEWTON_ITERATIONS,
    line_steps: int = LINE_SEARCH_STEPS,
) -> Motion:
    """Return the motion one timestep later (`mj_step` with the Euler integrator).

    The hinges' damping is integrated implicitly: `(M + h D)` takes the place of `M` once the
    constrained acceleration is known.
    """
    at, solution = acceleration(motion, action, iterations, line_steps)
    smooth = smooth_force(at, motion, action)
    total = [s + e for s, e in zip(smooth, solution.excess, strict=True)]
    damped = solve(at.mass.plus_diagonal(DAMPING), total)
    qvel = [v + TIMESTEP * a for v, a in zip(motion.qvel, damped, strict=True)]
    qpos = [q + TIMESTEP * v for q, v in zip(motion.qpos, qvel, strict=True)]
    return Motion(qpos, qvel)
