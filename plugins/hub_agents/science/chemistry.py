"""Chemistry: amounts, equilibria, rates, cells."""

from __future__ import annotations

import math

from hub_agents.science.family import Draw, Family

R = 8.314  # J/(mol K)
F = 96485.0  # C/mol
_ = "chemistry"


def _acid(c: float, ka: float) -> float:
    """Return the pH of a weak acid: the exact root of x^2 + ka x - ka c = 0."""
    return -math.log10((-ka + math.sqrt(ka * ka + 4 * ka * c)) / 2)


FAMILIES = (
    Family("dilution", _,
           "{v1} of a {c1} solution are diluted to {v2}. What is the new concentration?",
           {"v1": Draw(5, 90, "mL"), "c1": Draw(0.5, 12, "mol/L"), "v2": Draw(100, 900, "mL")},
           lambda v1, c1, v2: c1 * v1 / v2, "mol/L"),
    Family("weak_acid_ph", _,
           "What is the pH of a {c} solution of a monoprotic acid with Ka = {ka}? Solve the "
           "equilibrium exactly and leave out the autoionisation of water.",
           {"c": Draw(0.01, 0.9, "mol/L"), "ka": Draw(1e-5, 9e-3)}, _acid, "", 0.005),
    Family("buffer_ph", _,
           "A buffer holds {acid} of an acid with pKa {pka} and {base} of its conjugate base. By "
           "the Henderson-Hasselbalch equation, what is its pH?",
           {"acid": Draw(0.02, 0.9, "mol/L"), "pka": Draw(3.5, 9.5),
            "base": Draw(0.02, 0.9, "mol/L")},
           lambda acid, pka, base: pka + math.log10(base / acid), "", 0.005),
    Family("limiting_water", _,
           "{h2} of hydrogen (2.016 g/mol) and {o2} of oxygen (31.998 g/mol) react to water "
           "(18.015 g/mol) until one of them is used up. What mass of water forms?",
           {"h2": Draw(0.5, 9, "g"), "o2": Draw(2, 90, "g")},
           lambda h2, o2: min(h2 / 2.016, 2 * o2 / 31.998) * 18.015, "g"),
    Family("half_life_left", _,
           "A substance decays by first order with a half-life of {half}. How much of {start} is "
           "left after {time}?",
           {"half": Draw(5, 90, "minute"), "start": Draw(1, 900, "mg"),
            "time": Draw(10, 200, "minute")},
           lambda half, start, time: start * 0.5 ** (time / half), "mg"),
    Family("second_order", _,
           "A reaction of second order, A -> products with rate k[A]^2, has k = {k}. Starting from "
           "{start}, what is [A] after {time}?",
           {"k": Draw(0.005, 0.5, "L/(mol*s)"), "start": Draw(0.1, 2, "mol/L"),
            "time": Draw(10, 600, "s")},
           lambda k, start, time: start / (1 + k * start * time), "mol/L"),
    Family("arrhenius", _,
           "A rate constant is {k1} at {t1}; the activation energy is {energy}. By the Arrhenius "
           "equation with R = 8.314 J/(mol K), what is it at {t2}?",
           {"k1": Draw(0.001, 0.9, "1/s"), "t1": Draw(280, 310, "K"),
            "energy": Draw(20, 110, "kJ/mol"), "t2": Draw(315, 380, "K")},
           lambda k1, t1, energy, t2: k1 * math.exp(energy * 1000 / R * (1 / t1 - 1 / t2)), "1/s"),
    Family("nernst", _,
           "A cell with a standard potential of {standard} transfers {n} electrons; its reaction "
           "quotient is {q}. At 298.15 K, with R = 8.314 J/(mol K) and F = 96485 C/mol, what is "
           "its potential?",
           {"standard": Draw(0.3, 2.5, "V"), "n": Draw(1, 4, whole=True), "q": Draw(0.001, 900)},
           lambda standard, n, q: standard - R * 298.15 / (n * F) * math.log(q), "V"),
    Family("electroplating", _,
           "A current of {current} runs for {time} through a Cu2+ solution (copper: 63.546 g/mol, "
           "F = 96485 C/mol). What mass of copper is deposited?",
           {"current": Draw(0.2, 20, "A"), "time": Draw(300, 9000, "s")},
           lambda current, time: current * time / (2 * F) * 63.546, "g"),
    Family("freezing_point", _,
           "{m} of glucose (180.16 g/mol) are dissolved in {water} of water, whose cryoscopic "
           "constant is 1.86 K kg/mol. By how many kelvin does the freezing point fall?",
           {"m": Draw(5, 200, "g"), "water": Draw(100, 900, "g")},
           lambda m, water: 1.86 * (m / 180.16) / (water / 1000), "K"),
    Family("equilibrium_constant", _,
           "The standard Gibbs energy of a reaction is -{energy} at {temperature}. With "
           "R = 8.314 J/(mol K), what is the natural logarithm of its equilibrium constant?",
           {"energy": Draw(2, 90, "kJ/mol"), "temperature": Draw(250, 900, "K")},
           lambda energy, temperature: energy * 1000 / (R * temperature)),
)  # fmt: skip
