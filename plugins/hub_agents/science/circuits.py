"""Circuits: direct and alternating current, transients, fields of simple shapes."""

from __future__ import annotations

import cmath
import math

from hub_agents.science.family import Draw, Family

MU0 = 4e-7 * math.pi  # H/m
_ = "circuits"


def _bridge(v: float, r1: float, r2: float, r3: float, r4: float) -> float:
    return v * (r2 / (r1 + r2) - r4 / (r3 + r4))


def _ladder(v: float, r1: float, r2: float, r3: float) -> float:
    shared = 1 / (1 / r2 + 1 / r3)
    return v / (r1 + shared) * shared / r3


FAMILIES = (
    Family("parallel_resistance", _,
           "Resistors of {r1}, {r2} and {r3} are in parallel. What is their total resistance?",
           {"r1": Draw(10, 900, "ohm"), "r2": Draw(10, 900, "ohm"), "r3": Draw(10, 900, "ohm")},
           lambda r1, r2, r3: 1 / (1 / r1 + 1 / r2 + 1 / r3), "ohm"),
    Family("ladder_current", _,
           "A source of {v} feeds {r1} in series with the parallel pair of {r2} and {r3}. What "
           "current flows through the {r3} resistor, the last of them?",
           {"v": Draw(3, 48, "V"), "r1": Draw(10, 400, "ohm"), "r2": Draw(10, 400, "ohm"),
            "r3": Draw(10, 400, "ohm")}, _ladder, "A"),
    Family("bridge_voltage", _,
           "A bridge on {v}: one arm is {r1} above {r2}, the other {r3} above {r4}; both arms join "
           "the supply above and the ground below. What is the voltage of the first midpoint "
           "against the second?",
           {"v": Draw(5, 24, "V"), "r1": Draw(50, 200, "ohm"), "r2": Draw(600, 900, "ohm"),
            "r3": Draw(300, 500, "ohm"), "r4": Draw(50, 250, "ohm")}, _bridge, "V"),
    Family("rc_charging", _,
           "A capacitor of {c} is charged from 0 through {r} by {v}. What is its voltage after "
           "{time}?",
           {"c": Draw(1, 90, "microfarad"), "r": Draw(1, 90, "kiloohm"), "v": Draw(3, 48, "V"),
            "time": Draw(5, 900, "ms")},
           lambda c, r, v, time: -v * math.expm1(-time / (r * c)), "V"),
    Family("rl_current", _,
           "A coil of {inductance} in series with {r} is switched to {v}. What current flows after "
           "{time}?",
           {"inductance": Draw(10, 900, "mH"), "r": Draw(5, 90, "ohm"), "v": Draw(3, 48, "V"),
            "time": Draw(1, 40, "ms")},
           lambda inductance, r, v, time: -v / r * math.expm1(-time * r / inductance), "A"),
    Family("lc_resonance", _,
           "At which frequency does a coil of {inductance} with a capacitor of {c} resonate?",
           {"inductance": Draw(1, 900, "mH"), "c": Draw(1, 900, "nF")},
           lambda inductance, c: 1 / (2 * math.pi * math.sqrt(inductance * 1e-3 * c * 1e-9)),
           "Hz"),
    Family("rlc_impedance", _,
           "What is the magnitude of the impedance of {r}, {inductance} and {c} in series at "
           "{frequency}?",
           {"r": Draw(5, 300, "ohm"), "inductance": Draw(5, 300, "mH"),
            "c": Draw(1, 90, "microfarad"), "frequency": Draw(40, 2000, "Hz")},
           lambda r, inductance, c, frequency: abs(
               complex(r, 2 * math.pi * frequency * inductance * 1e-3)
               + 1 / (2j * math.pi * frequency * c * 1e-6)), "ohm"),
    Family("low_pass_phase", _,
           "By what angle does the output of an RC low pass of {r} and {c} lag behind its input at "
           "{frequency}?",
           {"r": Draw(0.5, 5, "kiloohm"), "c": Draw(10, 100, "nF"),
            "frequency": Draw(300, 3000, "Hz")},
           lambda r, c, frequency: -math.degrees(cmath.phase(
               1 / (1 + 2j * math.pi * frequency * r * 1e3 * c * 1e-9))), "degree"),
    Family("capacitor_energy", _,
           "How much energy is stored in {c} charged to {v}?",
           {"c": Draw(10, 900, "microfarad"), "v": Draw(5, 400, "V")},
           lambda c, v: 0.5 * c * 1e-6 * v**2, "J"),
    Family("solenoid_field", _,
           "A long solenoid of {length} with {turns} turns carries {current}. What is the magnetic "
           "flux density inside (mu0 = 4 pi 1e-7 H/m)?",
           {"length": Draw(0.1, 2, "m"), "turns": Draw(100, 5000, whole=True),
            "current": Draw(0.1, 15, "A")},
           lambda length, turns, current: MU0 * turns * current / length, "T"),
)  # fmt: skip
