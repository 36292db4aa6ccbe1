"""The table of the cheetah's numbers against the model that is installed."""

import math

import numpy as np
import pytest

from hub_jax.cheetah import constants
from tests import need

need.module("mujoco")

from hub_jax.cheetah import oracle  # noqa: E402  # needs mujoco


@pytest.fixture(scope="module")
def model():
    return oracle.model()


def test_the_bodies_are_the_models(model):
    for index, body in enumerate(constants.BODIES):
        there = model.body(index + 1)
        assert there.name == body.name
        assert model.body_parentid[index + 1] == body.parent + 1
        np.testing.assert_allclose(there.pos[[0, 2]], body.joint, rtol=1e-15)
        np.testing.assert_allclose(there.mass, body.mass, rtol=1e-14)
        np.testing.assert_allclose(there.ipos[[0, 2]], body.com, rtol=1e-14)
        turn = rotation(there.iquat)
        inertia = (turn @ np.diag(there.inertia) @ turn.T)[1, 1]
        np.testing.assert_allclose(inertia, body.inertia, rtol=1e-14)
        np.testing.assert_allclose(model.body_invweight0[index + 1, 0], body.invweight, rtol=1e-13)


def test_the_hinges_are_the_models(model):
    for index, hinge in enumerate(constants.HINGES):
        dof = index + 3
        assert model.jnt_range[dof].tolist() == [hinge.lower, hinge.upper]
        assert model.actuator_gear[index, 0] == hinge.gear
        assert model.dof_damping[dof] == hinge.damping
        assert model.jnt_stiffness[dof] == hinge.stiffness
        assert model.dof_armature[dof] == constants.ARMATURE
        np.testing.assert_allclose(model.dof_invweight0[dof], hinge.invweight, rtol=1e-13)
    for free in ("dof_damping", "dof_armature", "jnt_stiffness", "jnt_limited"):
        assert not getattr(model, free)[:3].any()
    assert not model.qpos_spring.any()
    assert not model.qpos0.any()
    assert (model.actuator_ctrlrange == [-1.0, 1.0]).all()
    assert model.actuator_trnid[:, 0].tolist() == [3, 4, 5, 6, 7, 8]


def test_the_capsules_are_the_models(model):
    assert model.ngeom == len(constants.CAPSULES) + 1
    for index, capsule in enumerate(constants.CAPSULES, start=1):
        geom = model.geom(index)
        assert geom.bodyid[0] == capsule.body + 1
        assert geom.size[0] == constants.RADIUS
        axis = rotation(geom.quat)[:, 2] * geom.size[1]
        ends = np.array([geom.pos + axis, geom.pos - axis])[:, [0, 2]]
        np.testing.assert_allclose(capsule.ends(), ends, atol=1e-15)
    # Floor contacts only: a capsule meets nothing but what accepts its type.
    assert (model.geom_contype[1:] == 1).all()
    assert not model.geom_conaffinity[1:].any()
    assert (model.geom_condim == 3).all()
    assert not model.geom_margin.any()
    assert not model.geom_priority.any()


def test_the_soft_constraints_are_the_models(model):
    for soft, ref, imp in (
        (constants.CONTACT, model.geom_solref, model.geom_solimp),
        (constants.LIMIT, model.jnt_solref, model.jnt_solimp),
    ):
        assert (ref == [soft.time_constant, soft.damping_ratio]).all()
        assert (imp == [soft.dmin, soft.dmax, soft.width, 0.5, 2.0]).all()
        assert soft.time_constant >= 2 * constants.TIMESTEP, "MuJoCo would raise it"
    assert (model.geom_friction[:, 0] == constants.FRICTION).all()


def test_the_options_are_the_models(model):
    import mujoco

    assert model.opt.timestep == constants.TIMESTEP
    assert model.opt.gravity.tolist() == [0.0, 0.0, -constants.GRAVITY]
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert model.opt.impratio == 1.0
    assert model.opt.disableflags == model.opt.enableflags == 0
    assert oracle.make_reference().unwrapped.frame_skip == constants.FRAME_SKIP
    assert math.isclose(sum(body.mass for body in constants.BODIES), 14.0)


def rotation(quaternion):
    import mujoco

    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)
