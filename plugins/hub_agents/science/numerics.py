"""Numerical methods: no closed form, or one that is not asked for; scipy is the oracle."""

from __future__ import annotations

import math

from hub_agents.science.family import Draw, Family

_ = "numerics"


def _kepler(m: float, e: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda x: x - e * math.sin(x) - m, 0.0, math.pi, xtol=1e-14))


def _root(a: float, b: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda x: x**3 + a * x - b, 0.0, b / a, xtol=1e-14))


def _integral(a: float, b: float) -> float:
    from scipy.integrate import quad

    return float(quad(lambda x: math.exp(-a * x * x) * math.cos(b * x), 0.0, 1.0, epsabs=1e-13)[0])


def _arc(a: float, b: float) -> float:
    from scipy.special import ellipe

    long, short = max(a, b), min(a, b)
    return float(4 * long * ellipe(1 - (short / long) ** 2))


def _predator(a: float, x0: float, y0: float) -> float:
    from scipy.integrate import solve_ivp

    found = solve_ivp(
        lambda _t, s: [s[0] * (a - s[1]), s[1] * (s[0] - 1)],
        (0.0, 2.0), [x0, y0], rtol=1e-11, atol=1e-12, method="DOP853",
    )  # fmt: skip
    return float(found.y[0, -1])


def _oscillator(mu: float, x0: float) -> float:
    from scipy.integrate import solve_ivp

    found = solve_ivp(
        lambda _t, s: [s[1], mu * (1 - s[0] ** 2) * s[1] - s[0]],
        (0.0, 3.0), [x0, 0.0], rtol=1e-11, atol=1e-12, method="DOP853",
    )  # fmt: skip
    return float(found.y[0, -1])


def _solve(a: float, b: float, c: float) -> float:
    import numpy as np

    matrix = [[a + 10, 1.0, b], [1.0, c + 10, 2.0], [b, 2.0, 15.0]]
    return float(np.linalg.solve(np.array(matrix), np.array([10.0, 20.0, 30.0])).sum())


def _eigenvalue(a: float, b: float, c: float) -> float:
    import numpy as np

    return float(np.linalg.eigvalsh(np.array([[a, 1, 2], [1, b, 3], [2, 3, c]], float))[-1])


FAMILIES = (
    Family("kepler_equation", _,
           "Solve Kepler's equation E - e sin(E) = M for the eccentric anomaly E (a number, in "
           "radians), with e = {e} and M = {m}.",
           {"m": Draw(0.2, 2.8), "e": Draw(0.1, 0.9)}, _kepler, "", 0.001),
    Family("cubic_root", _,
           "Find the positive root of x^3 + {a} x = {b}.",
           {"a": Draw(1, 9), "b": Draw(1, 40)}, _root, "", 0.001),
    Family("damped_integral", _,
           "Compute the integral of exp(-{a} x^2) cos({b} x) for x from 0 to 1.",
           {"a": Draw(0.3, 4), "b": Draw(0.3, 1.5)}, _integral, "", 0.001),
    Family("ellipse_perimeter", _,
           "What is the perimeter of an ellipse with semi-axes of {a} and {b}?",
           {"a": Draw(1, 9, "m"), "b": Draw(1, 9, "m")}, _arc, "m", 0.001),
    Family("predator_prey", _,
           "Integrate x' = x ({a} - y), y' = y (x - 1) from x(0) = {x0}, y(0) = {y0}. What is "
           "x(2)?",
           {"a": Draw(0.5, 2), "x0": Draw(0.5, 2), "y0": Draw(0.5, 2)}, _predator, "", 0.002),
    Family("van_der_pol", _,
           "Integrate x'' = {mu} (1 - x^2) x' - x from x(0) = {x0}, x'(0) = 0. What is x(3)?",
           {"mu": Draw(0.2, 2), "x0": Draw(1, 3)}, _oscillator, "", 0.005),
    Family("linear_system", _,
           "Solve ({a} + 10) x + y + {b} z = 10, x + ({c} + 10) y + 2 z = 20, "
           "{b} x + 2 y + 15 z = 30. What is x + y + z?",
           {"a": Draw(1, 9), "b": Draw(1, 5), "c": Draw(1, 9)}, _solve, "", 0.001),
    Family("largest_eigenvalue", _,
           "What is the largest eigenvalue of the symmetric matrix with rows ({a}, 1, 2), "
           "(1, {b}, 3), (2, 3, {c})?",
           {"a": Draw(1, 9), "b": Draw(1, 9), "c": Draw(1, 9)}, _eigenvalue, "", 0.001),
)  # fmt: skip
