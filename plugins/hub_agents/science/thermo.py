"""Thermodynamics: ideal gases, engines, heat."""

from __future__ import annotations

import math

from hub_agents.science.family import Draw, Family

R = 8.314  # J/(mol K)
SIGMA = 5.670e-8  # W/(m^2 K^4)
_ = "thermodynamics"


FAMILIES = (
    Family("gas_pressure", _,
           "{n} of an ideal gas fill {volume} at {temperature}. With R = 8.314 J/(mol K), what is "
           "the pressure?",
           {"n": Draw(0.1, 9, "mol"), "volume": Draw(0.005, 0.3, "m^3"),
            "temperature": Draw(200, 800, "K")},
           lambda n, volume, temperature: n * R * temperature / volume, "Pa"),
    Family("carnot_work", _,
           "A Carnot engine between {hot} and {cold} takes in {heat} of heat. How much work does "
           "it do?",
           {"hot": Draw(450, 900, "K"), "cold": Draw(200, 400, "K"), "heat": Draw(100, 9000, "J")},
           lambda hot, cold, heat: heat * (1 - cold / hot), "J"),
    Family("isothermal_work", _,
           "{n} of an ideal gas expand reversibly at a constant {temperature} from {first} to "
           "{last}. With R = 8.314 J/(mol K), how much work does the gas do?",
           {"n": Draw(0.2, 5, "mol"), "temperature": Draw(250, 600, "K"),
            "first": Draw(1, 4, "liter"), "last": Draw(6, 40, "liter")},
           lambda n, temperature, first, last: n * R * temperature * math.log(last / first), "J"),
    Family("adiabatic_temperature", _,
           "A monatomic ideal gas at {temperature} is compressed adiabatically and reversibly to "
           "1/{ratio} of its volume. What is its temperature then?",
           {"temperature": Draw(220, 400, "K"), "ratio": Draw(2, 12)},
           lambda temperature, ratio: temperature * ratio ** (2 / 3), "K"),
    Family("otto_efficiency", _,
           "What is the efficiency, as a fraction of 1, of the ideal Otto cycle with a compression "
           "ratio of {ratio} and a heat capacity ratio of {gamma}?",
           {"ratio": Draw(5, 13), "gamma": Draw(1.2, 1.67)},
           lambda ratio, gamma: 1 - ratio ** (1 - gamma)),
    Family("mixing_temperature", _,
           "{m1} of water at {t1} are mixed with {m2} of water at {t2} without losses. What is the "
           "final temperature, in kelvin?",
           {"m1": Draw(0.1, 3, "kg"), "t1": Draw(320, 370, "K"), "m2": Draw(0.1, 3, "kg"),
            "t2": Draw(275, 300, "K")},
           lambda m1, t1, m2, t2: (m1 * t1 + m2 * t2) / (m1 + m2), "K", 0.002),
    Family("radiated_power", _,
           "A surface of {area} with emissivity {emissivity} is at {temperature}. With "
           "sigma = 5.670e-8 W/(m^2 K^4), what power does it radiate?",
           {"area": Draw(0.05, 5, "m^2"), "emissivity": Draw(0.2, 0.98),
            "temperature": Draw(280, 1500, "K")},
           lambda area, emissivity, temperature: emissivity * SIGMA * area * temperature**4, "W"),
    Family("wall_conduction", _,
           "A wall of {area} has two layers: {d1} thick with a conductivity of {k1}, and {d2} "
           "thick with {k2}. Its sides differ by {difference}. What heat flows per time?",
           {"area": Draw(2, 40, "m^2"), "d1": Draw(0.05, 0.3, "m"),
            "k1": Draw(0.3, 1.5, "W/(m*K)"), "d2": Draw(0.02, 0.2, "m"),
            "k2": Draw(0.03, 0.2, "W/(m*K)"), "difference": Draw(5, 40, "K")},
           lambda area, d1, k1, d2, k2, difference: area * difference / (d1 / k1 + d2 / k2), "W"),
    Family("heating_entropy", _,
           "{m} of a substance with a constant specific heat of {c} are heated from {first} to "
           "{last}. By how much does its entropy rise?",
           {"m": Draw(0.1, 5, "kg"), "c": Draw(300, 4200, "J/(kg*K)"),
            "first": Draw(200, 320, "K"), "last": Draw(350, 700, "K")},
           lambda m, c, first, last: m * c * math.log(last / first), "J/K"),
    Family("rms_speed", _,
           "What is the root-mean-square speed of the molecules of an ideal gas of molar mass "
           "{molar} at {temperature}? R = 8.314 J/(mol K).",
           {"molar": Draw(2, 130, "g/mol"), "temperature": Draw(100, 1500, "K")},
           lambda molar, temperature: math.sqrt(3 * R * temperature / (molar / 1000)), "m/s"),
)  # fmt: skip
