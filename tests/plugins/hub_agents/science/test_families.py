"""Every family: drawn from its seed, told with units, and its formula checked another way."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from hub.errors import UnknownOption
from hub.trajectory import ToolCall
from hub_agents.science.domain import ScienceDomain
from hub_agents.science.families import AREAS, FAMILIES
from hub_agents.science.source import Problems
from hub_agents.science.units import judged
from tests import need

need.distribution("pint")
integrate = need.module("scipy.integrate")
stats = need.module("scipy.stats")
optimize = need.module("scipy.optimize")


def ode(right: Callable[..., list[float]], start: list[float], end: float) -> list[float]:
    """Integrate by another method than the oracles use."""
    found = integrate.solve_ivp(right, (0, end), start, rtol=1e-9, atol=1e-11, method="LSODA")
    return [float(value) for value in found.y[:, -1]]


def quad(function: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(function, low, high)[0])


def matrix_sum(a: float, b: float, c: float) -> float:
    m = np.array([[a + 10, 1, b], [1, c + 10, 2], [b, 2, 15]])
    total = 0.0
    for column in range(3):  # Cramer's rule
        changed = m.copy()
        changed[:, column] = [10, 20, 30]
        total += float(np.linalg.det(changed) / np.linalg.det(m))
    return total


def random_walk_coupons(n: float) -> float:
    expected = 0.0  # backwards over the number of cards owned
    for owned in range(int(n) - 1, -1, -1):
        expected += n / (n - owned)
    return expected


def flight(v: float, angle: float) -> float:
    vx, vy = v * math.cos(math.radians(angle)), v * math.sin(math.radians(angle))
    time = optimize.brentq(lambda t: vy * t - 9.81 * t * t / 2, 0.01, 20)
    return float(vx * time)


def pendulum(length: float, angle: float) -> float:
    """The quarter period by integrating the motion until it hangs straight."""

    def straight(_t: float, s: list[float]) -> float:
        return s[0]

    straight.terminal = True  # type: ignore[attr-defined]  # scipy's way to say so
    found = integrate.solve_ivp(
        lambda _t, s: [s[1], -9.81 / length * math.sin(s[0])], (0, 60),
        [math.radians(angle), 0], events=straight, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    return 4 * float(found.t_events[0][0])


def acid(c: float, ka: float) -> float:
    return -math.log10(optimize.brentq(lambda x: x * x - ka * (c - x), 0, c, xtol=1e-15))


def mesh(v: float, r1: float, r2: float, r3: float) -> float:
    currents = np.linalg.solve(np.array([[r1 + r2, -r2], [-r2, r2 + r3]]), np.array([v, 0]))
    return float(currents[1])


def bridge(v: float, r1: float, r2: float, r3: float, r4: float) -> float:
    nodes = np.diag([1 / r1 + 1 / r2, 1 / r3 + 1 / r4])
    a, b = np.linalg.solve(nodes, np.array([v / r1, v / r3]))
    return float(a - b)


def perimeter(a: float, b: float) -> float:
    return 4 * quad(lambda t: math.hypot(a * math.sin(t), b * math.cos(t)), 0, math.pi / 2)


# Family -> the same answer by another way: integration, a root, a linear system, scipy's tables.
INDEPENDENT: dict[str, Callable[..., float]] = {
    "projectile_range": flight,
    "fall_time": lambda h: optimize.brentq(lambda t: 9.81 * t * t / 2 - h, 0, 100),
    "large_pendulum": pendulum,
    "rolling_cylinder": lambda h: optimize.brentq(
        lambda v: v * v / 2 + v * v / 4 - 9.81 * h, 0, 1000
    ),
    "isothermal_work": lambda n, temperature, first, last: quad(
        lambda v: n * 8.314 * temperature / v, first, last
    ),
    "adiabatic_temperature": lambda temperature, ratio: ode(
        lambda _t, s: [-2 / 3 * s[0] / (ratio - (ratio - 1) * _t) * -(ratio - 1)],
        [temperature], 1.0,
    )[0],
    "heating_entropy": lambda m, c, first, last: quad(lambda t: m * c / t, first, last),
    "weak_acid_ph": acid,
    "half_life_left": lambda half, start, time: ode(
        lambda _t, s: [-math.log(2) / half * s[0]], [start], time
    )[0],
    "second_order": lambda k, start, time: ode(lambda _t, s: [-k * s[0] ** 2], [start], time)[0],
    "ladder_current": mesh,
    "bridge_voltage": bridge,
    "rc_charging": lambda c, r, v, time: ode(
        lambda _t, s: [(v - s[0]) / (r * c)], [0.0], time
    )[0],
    "rl_current": lambda inductance, r, v, time: ode(
        lambda _t, s: [(v - r * s[0]) / inductance], [0.0], time
    )[0],
    "normal_interval": lambda mean, deviation, limit: stats.norm.sf(limit, mean, deviation),
    "binomial_tail": lambda n, p, k: stats.binom.sf(k - 1, n, p),
    "poisson_at_most": lambda mean, count: stats.poisson.cdf(count, mean),
    "exponential_wait": lambda mean, time: quad(
        lambda t: math.exp(-t / mean) / mean, time, np.inf
    ),
    "chi_square_p": lambda statistic, freedom: quad(
        lambda x: stats.chi2.pdf(x, freedom), statistic, np.inf
    ),
    "coupon_collector": random_walk_coupons,
    "kepler_equation": lambda m, e: float(
        optimize.newton(lambda x: x - e * math.sin(x) - m, math.pi, maxiter=200)
    ),
    "cubic_root": lambda a, b: max(
        root.real for root in np.roots([1, 0, a, -b]) if abs(root.imag) < 1e-9
    ),
    "damped_integral": lambda a, b: float(
        integrate.simpson(
            [math.exp(-a * x * x) * math.cos(b * x) for x in np.linspace(0, 1, 2001)], dx=1 / 2000
        )
    ),
    "ellipse_perimeter": perimeter,
    "predator_prey": lambda a, x0, y0: ode(
        lambda _t, s: [s[0] * (a - s[1]), s[1] * (s[0] - 1)], [x0, y0], 2
    )[0],
    "van_der_pol": lambda mu, x0: ode(
        lambda _t, s: [s[1], mu * (1 - s[0] ** 2) * s[1] - s[0]], [x0, 0], 3
    )[0],
    "linear_system": matrix_sum,
    "largest_eigenvalue": lambda a, b, c: max(
        root.real for root in np.roots(np.poly(np.array([[a, 1, 2], [1, b, 3], [2, 3, c]])))
    ),
}  # fmt: skip
# Family -> its answer for one hand-computed or published case.
KNOWN: dict[str, tuple[dict[str, float], float]] = {
    "incline_friction": ({"angle": 30, "mu": 0}, 4.905),
    "atwood": ({"m1": 1, "m2": 3}, 4.905),
    "spring_period": ({"m": 1, "k": 4 * math.pi**2}, 1),
    "elastic_collision": ({"m1": 2, "v": 5, "m2": 2}, 5),
    "orbital_period": ({"mass": 5.972e24, "radius": 4.2164e7}, 86164),  # a sidereal day
    "escape_speed": ({"mass": 5.972e24, "radius": 6.371e6}, 11186),
    "terminal_speed": ({"m": 1.225 / 2, "c": 1, "area": 9.81}, 1),
    "gas_pressure": ({"n": 1, "volume": 0.022414, "temperature": 273.15}, 101325),
    "carnot_work": ({"hot": 600, "cold": 300, "heat": 1000}, 500),
    "otto_efficiency": ({"ratio": 8, "gamma": 1.4}, 0.5647),
    "mixing_temperature": ({"m1": 1, "t1": 350, "m2": 3, "t2": 290}, 305),
    "radiated_power": ({"area": 1, "emissivity": 1, "temperature": 1000}, 56700),
    "wall_conduction": (
        {"area": 10, "d1": 0.1, "k1": 1, "d2": 0.1, "k2": 0.05, "difference": 21}, 100,
    ),
    "rms_speed": ({"molar": 28.0134, "temperature": 300}, 516.8),
    "dilution": ({"v1": 10, "c1": 5, "v2": 100}, 0.5),
    "buffer_ph": ({"acid": 0.1, "pka": 4.76, "base": 1}, 5.76),
    "limiting_water": ({"h2": 2.016, "o2": 31.998}, 18.015),
    "arrhenius": ({"k1": 1, "t1": 300, "energy": 50, "t2": 310}, 1.909),
    "nernst": ({"standard": 1.1, "n": 2, "q": 10}, 1.0704),
    "electroplating": ({"current": 1, "time": 2 * 96485}, 63.546),
    "freezing_point": ({"m": 180.16, "water": 1000}, 1.86),
    "equilibrium_constant": ({"energy": 8.314, "temperature": 100}, 10),
    "parallel_resistance": ({"r1": 30, "r2": 30, "r3": 30}, 10),
    "lc_resonance": ({"inductance": 1, "c": 1000}, 5032.9),
    "rlc_impedance": (
        {"r": 40, "inductance": 1000 / (2 * math.pi), "c": 1e6 / (2 * math.pi * 70),
         "frequency": 1}, math.hypot(40, 1 - 70),
    ),
    "low_pass_phase": ({"r": 1, "c": 1e6 / (2 * math.pi), "frequency": 1}, 45),
    "capacitor_energy": ({"c": 2, "v": 1000}, 1),
    "solenoid_field": ({"length": 1, "turns": 1000, "current": 1}, 1.2566e-3),
    "bayes_test": ({"prevalence": 0.01, "sensitivity": 0.99, "specificity": 0.95}, 0.16667),
    "t_interval": ({"n": 16, "mean": 0, "deviation": 4}, 2.1314),  # t(0.975, 15), tables
    "sample_size": ({"deviation": 10, "width": 1.95996}, 100),
}  # fmt: skip


def test_there_are_families_enough_and_each_is_checked_once() -> None:
    assert len(FAMILIES) == sum(map(len, AREAS.values())) >= 40
    assert INDEPENDENT.keys() | KNOWN.keys() == FAMILIES.keys()
    assert not INDEPENDENT.keys() & KNOWN.keys()


@pytest.mark.parametrize("name", sorted(INDEPENDENT))
def test_an_oracle_agrees_with_another_way(name: str) -> None:
    family = FAMILIES[name]
    for seed in range(5):
        values = family.values(f"check/{seed}")
        exact = family.solve(**values)
        # Far inside the tolerance that an answer is held to.
        assert INDEPENDENT[name](**values) == pytest.approx(exact, rel=family.rtol / 50, abs=1e-7)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_formula_gives_the_known_case(name: str) -> None:
    given, expected = KNOWN[name]
    assert FAMILIES[name].solve(**given) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_problem_is_its_seeds_and_tells_all_that_it_draws(name: str) -> None:
    family = FAMILIES[name]
    values = family.values("a")
    assert values == family.values("a") != family.values("b")
    question = family.question(values)
    assert "{" not in question
    for quantity, draw in family.draws.items():
        assert draw.low <= values[quantity] <= draw.high
        assert draw.told(values[quantity]) in question
    gold = family.solve(**values)
    assert math.isfinite(gold)
    assert judged(f"{gold:.8g} {family.unit}", gold, family.unit, family.rtol)[0]
    assert not judged(f"{gold:.8g} lux", gold, family.unit, family.rtol)[0]
    assert not judged(f"{gold * 1.1:.8g} {family.unit}", gold, family.unit, family.rtol)[0]


def test_the_grader_takes_every_familys_oracle_and_no_constant_zero() -> None:
    seen = set()
    for split in ("train", "test"):
        domain = ScienceDomain(Problems(split))
        for index in range(len(FAMILIES)):
            task = domain.source.get(index)
            seen.add(task.data["family"])
            (call,) = domain.oracle(task)()
            assert isinstance(call, ToolCall)
            gold = domain.grade(task, {"answer": call.arguments["answer"]})
            assert (gold.reward, gold.reason) == (1.0, "right"), task
            for zero in ("0", f"0 {task.data['unit']}", f"\\boxed{{0 {task.data['unit']}}}"):
                assert domain.grade(task, {"answer": zero}).reward == 0.0, (task, zero)
    assert seen == FAMILIES.keys()


def test_areas_splits_and_seeds_choose_and_a_wrong_name_is_refused() -> None:
    assert {Problems(areas=["circuits"]).get(i).data["area"] for i in range(30)} == {"circuits"}
    assert len({s.get(0).prompt for s in (Problems(), Problems("test"), Problems(seed=1))}) == 3
    for wrong in ({"areas": ["alchemy"]}, {"areas": []}, {"split": "dev"}):
        with pytest.raises(UnknownOption, match="expected one of"):
            Problems(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_a_problem_is_found_by_its_id() -> None:
    source = Problems("test", 2)
    for place in (0, 31, 999_999):
        assert source.find(source.get(place).id) == place
    other = Problems("train", 2).get(31).id
    assert [source.find(wrong) for wrong in ("zz", other, "-31")] == [None, None, None]
