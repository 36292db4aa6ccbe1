"""The HalfCheetah model as a table of numbers.

Source: `half_cheetah.xml` of Gymnasium 1.4.0 as compiled by MuJoCo 4.0.0. Lengths, angles, gears,
damping, stiffness and limits stand in the XML; masses and inertias (scaled by the compiler to a
total of 14 kg) and inverse weights (computed by it at `qpos0`) were read once from the compiled
`mjModel`. A test compares every number with the model that is installed.

Everything moves in the x-z plane. Positions are `(x, z)` pairs in the frame of their body; a body's
frame sits at its joint; an angle turns about +y, so that the local z axis points to
`(sin angle, cos angle)`. Units are SI: metres, kilograms, radians, newtons, seconds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

Pair = tuple[float, float]

TIMESTEP = 0.01  # opt.timestep, s
FRAME_SKIP = 5  # of HalfCheetah-v5: physics steps per environment step
GRAVITY = 9.81  # -opt.gravity[2], m/s^2
START_HEIGHT = 0.7  # body_pos[torso][2]: height of the torso's origin at qpos = 0, m


class Body(NamedTuple):
    """One rigid body, with the joint (at its origin) that carries it.

    Attributes:
        name: As in the XML.
        parent: Index of the parent body; the torso's is -1 (the world).
        joint: Position of the joint in the parent's frame, m.
        mass: `body_mass`, kg.
        com: `body_ipos`, centre of mass, m.
        inertia: Moment about the y axis through the centre of mass, kg m^2.
        invweight: `body_invweight0[0]`, mean inverse translational inertia at `qpos0`, 1/kg.
    """

    name: str
    parent: int
    joint: Pair
    mass: float
    com: Pair
    inertia: float
    invweight: float


BODIES = (
    Body(
        "torso",
        -1,
        (0.0, START_HEIGHT),
        6.25020920502092,
        (0.15238987816307403, 0.02539831302717901),
        0.897117688111749,
        0.06415751945610272,
    ),
    Body(
        "bthigh",
        0,
        (-0.5, 0.0),
        1.5435146443514645,
        (0.1, -0.13),
        0.01684433958158996,
        0.09691101560963138,
    ),
    Body(
        "bshin",
        1,
        (0.16, -0.25),
        1.5874476987447697,
        (-0.14, -0.07),
        0.018267419079497912,
        0.12720922534654552,
    ),
    Body(
        "bfoot",
        2,
        (-0.28, -0.14),
        1.0953974895397491,
        (0.03, -0.097),
        0.0063524232635983275,
        0.24374928349017175,
    ),
    Body(
        "fthigh",
        0,
        (0.5, 0.0),
        1.4380753138075317,
        (-0.07, -0.12),
        0.013739643347280341,
        0.0814837948136707,
    ),
    Body(
        "fshin",
        4,
        (-0.14, -0.24),
        1.200836820083682,
        (0.065, -0.09),
        0.008222108619246861,
        0.1319968179007737,
    ),
    Body(
        "ffoot",
        5,
        (0.13, -0.18),
        0.8845188284518829,
        (0.045, -0.07),
        0.003529109456066946,
        0.2661441029233887,
    ),
)
LEGS = ((1, 2, 3), (4, 5, 6))  # bodies of the two chains, from the torso outwards


class Hinge(NamedTuple):
    """The hinge (about +y) and motor of body `i + 1`; degree of freedom `i + 3`.

    Attributes:
        gear: Torque per unit of action, N m.
        damping: N m s.
        stiffness: Of the spring towards angle 0, N m.
        lower: Lower limit, rad.
        upper: Upper limit, rad.
        invweight: `dof_invweight0`, inverse inertia at `qpos0`, 1/(kg m^2).
    """

    gear: float
    damping: float
    stiffness: float
    lower: float
    upper: float
    invweight: float


HINGES = (
    Hinge(120.0, 6.0, 240.0, -0.52, 1.05, 2.729788644884893),
    Hinge(90.0, 4.5, 180.0, -0.785, 0.785, 5.893248984162904),
    Hinge(60.0, 3.0, 120.0, -0.4, 0.785, 8.894877004054676),
    Hinge(120.0, 4.5, 180.0, -1.0, 0.7, 3.0813926054768768),
    Hinge(60.0, 3.0, 120.0, -1.2, 0.87, 6.882795962275771),
    Hinge(30.0, 1.5, 60.0, -0.5, 0.5, 9.468134962769764),
)
ARMATURE = 0.1  # of every hinge, kg m^2


class Capsule(NamedTuple):
    """A capsule that may touch the floor, with one contact at either end.

    Attributes:
        body: Index of its body.
        centre: In the body's frame, m.
        angle: Of its axis, rad.
        half_length: From the centre to the centre of an end's sphere, m.
    """

    body: int
    centre: Pair
    angle: float
    half_length: float

    def ends(self) -> tuple[Pair, Pair]:
        """Return the centres of the two end spheres in the body's frame, forward one first."""
        (x, z), reach = self.centre, self.half_length
        dx, dz = reach * math.sin(self.angle), reach * math.cos(self.angle)
        return (x + dx, z + dz), (x - dx, z - dz)


CAPSULES = (
    Capsule(0, (0.0, 0.0), -math.pi / 2, 0.5),
    Capsule(0, (0.6, 0.1), 0.87, 0.15),
    Capsule(1, (0.1, -0.13), -3.8, 0.145),
    Capsule(2, (-0.14, -0.07), -2.03, 0.15),
    Capsule(3, (0.03, -0.097), -0.27, 0.094),
    Capsule(4, (-0.07, -0.12), 0.52, 0.133),
    Capsule(5, (0.065, -0.09), -0.6, 0.106),
    Capsule(6, (0.045, -0.07), -0.6, 0.07),
)
RADIUS = 0.046  # geom_size[:, 0] of every capsule, m
FRICTION = 0.4  # sliding friction of every contact


class SoftConstraint(NamedTuple):
    """MuJoCo's `solref` and `solimp` of one kind of constraint.

    Attributes:
        time_constant: `solref[0]`, s.
        damping_ratio: `solref[1]`.
        dmin: `solimp[0]`, impedance at zero violation (MuJoCo clips it to 1e-4).
        dmax: `solimp[1]`, impedance at `width` and beyond.
        width: `solimp[2]`, m or rad.

    The sigmoid between has midpoint 0.5 and power 2, MuJoCo's defaults.
    """

    time_constant: float
    damping_ratio: float
    dmin: float
    dmax: float
    width: float


CONTACT = SoftConstraint(0.02, 1.0, 0.0, 0.8, 0.01)
LIMIT = SoftConstraint(0.02, 1.0, 0.0, 0.8, 0.03)
MIN_IMPEDANCE = 1e-4  # mjMINIMP
