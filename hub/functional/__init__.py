"""The JAX contract and its adapters; see `hub.functional.env` for the contract itself."""

from hub.functional.draws import Source, Tape, draw, make_tape
from hub.functional.env import Array, FunctionalEnv, Info, Transition, no_info, struct
from hub.functional.keys import lane_keys, moment_keys

__all__ = [
    "Array",
    "FunctionalEnv",
    "Info",
    "Source",
    "Tape",
    "Transition",
    "draw",
    "lane_keys",
    "make_tape",
    "moment_keys",
    "no_info",
    "struct",
]
