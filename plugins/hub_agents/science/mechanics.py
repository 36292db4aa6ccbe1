"""Mechanics: closed forms; gravity is 9.81 m/s^2 where a text does not say otherwise."""

from __future__ import annotations

import math

from hub_agents.science.family import Draw, Family

G = 9.81  # m/s^2
BIG_G = 6.674e-11  # m^3/(kg s^2), CODATA 2018 to four digits
_ = "mechanics"


def _two_body(m1: float, m2: float) -> float:
    return (m2 - m1) * G / (m1 + m2)


FAMILIES = (
    Family("projectile_range", _,
           "A ball is thrown from level ground at {v} and {angle} above the horizontal. Without "
           "air resistance and with g = 9.81 m/s^2, how far away does it land?",
           {"v": Draw(5, 60, "m/s"), "angle": Draw(15, 75, "degree")},
           lambda v, angle: v**2 * math.sin(2 * math.radians(angle)) / G, "m"),
    Family("fall_time", _,
           "A stone is dropped from a height of {h}. With g = 9.81 m/s^2 and no air, after what "
           "time does it reach the ground?",
           {"h": Draw(2, 300, "m")}, lambda h: math.sqrt(2 * h / G), "s"),
    Family("incline_friction", _,
           "A block slides down a plane inclined at {angle}; the coefficient of kinetic friction "
           "is {mu}. With g = 9.81 m/s^2, what is its acceleration?",
           {"angle": Draw(35, 70, "degree"), "mu": Draw(0.05, 0.5)},
           lambda angle, mu: G * (math.sin(math.radians(angle))
                                  - mu * math.cos(math.radians(angle))), "m/s^2"),
    Family("atwood", _,
           "Masses of {m1} and {m2} hang on a massless string over a frictionless pulley. With "
           "g = 9.81 m/s^2, with what acceleration does the heavier one fall?",
           {"m1": Draw(1, 5, "kg"), "m2": Draw(6, 12, "kg")}, _two_body, "m/s^2"),
    Family("spring_period", _,
           "A mass of {m} oscillates on a spring of stiffness {k}. What is the period?",
           {"m": Draw(0.1, 5, "kg"), "k": Draw(20, 800, "N/m")},
           lambda m, k: 2 * math.pi * math.sqrt(m / k), "s"),
    Family("large_pendulum", _,
           "A pendulum of length {length} on a massless rod swings with an amplitude of {angle}. "
           "Do not use the small-angle formula: with g = 9.81 m/s^2, what is its exact period?",
           {"length": Draw(0.2, 4, "m"), "angle": Draw(60, 150, "degree")},
           lambda length, angle: _pendulum(length, math.radians(angle)), "s", 0.005),
    Family("elastic_collision", _,
           "A cart of {m1} moving at {v} hits a resting cart of {m2} head-on and elastically. How "
           "fast does the second cart move afterwards?",
           {"m1": Draw(0.5, 6, "kg"), "v": Draw(1, 20, "m/s"), "m2": Draw(0.5, 6, "kg")},
           lambda m1, v, m2: 2 * m1 * v / (m1 + m2), "m/s"),
    Family("orbital_period", _,
           "A satellite circles a planet of mass {mass} at {radius} from the centre. With "
           "G = 6.674e-11 m^3/(kg s^2), what is its period?",
           {"mass": Draw(1e24, 9e24, "kg"), "radius": Draw(7e6, 5e7, "m")},
           lambda mass, radius: 2 * math.pi * math.sqrt(radius**3 / (BIG_G * mass)), "s"),
    Family("escape_speed", _,
           "A planet has a mass of {mass} and a radius of {radius}. With "
           "G = 6.674e-11 m^3/(kg s^2), what is the escape speed at its surface?",
           {"mass": Draw(1e23, 9e24, "kg"), "radius": Draw(2e6, 9e6, "m")},
           lambda mass, radius: math.sqrt(2 * BIG_G * mass / radius), "m/s"),
    Family("rolling_cylinder", _,
           "A solid cylinder rolls without slipping from rest down a drop of {h}. With "
           "g = 9.81 m/s^2, how fast is it at the bottom?",
           {"h": Draw(0.3, 20, "m")}, lambda h: math.sqrt(4 * G * h / 3), "m/s"),
    Family("terminal_speed", _,
           "A body of {m} with drag coefficient {c} and frontal area {area} falls through air of "
           "density 1.225 kg/m^3. With g = 9.81 m/s^2, what is its terminal speed?",
           {"m": Draw(0.2, 90, "kg"), "c": Draw(0.2, 1.3), "area": Draw(0.01, 0.9, "m^2")},
           lambda m, c, area: math.sqrt(2 * m * G / (1.225 * c * area)), "m/s"),
)  # fmt: skip


def _pendulum(length: float, amplitude: float) -> float:
    """Return 4 sqrt(l/g) K(sin(amplitude/2)), K by the arithmetic-geometric mean."""
    a, b = 1.0, math.cos(amplitude / 2)
    for _step in range(40):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi * math.sqrt(length / G) / a
