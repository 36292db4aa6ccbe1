"""The JAX contract and its adapters; see `hub.functional.env` for the contract itself."""

from hub.functional.compiled import jit, precision
from hub.functional.draws import Source, Tape, draw, make_tape
from hub.functional.env import Array, Dtype, FunctionalEnv, Info, Transition, no_info, struct
from hub.functional.gymnax import GymnaxView, one_lane
from hub.functional.keys import lane_keys, moment_keys
from hub.functional.rollout import Policy, Rollout, Runner, begin, rollout
from hub.functional.single import FunctionalSingleEnv
from hub.functional.vector import FunctionalVectorEnv

__all__ = [
    "Array",
    "Dtype",
    "FunctionalEnv",
    "FunctionalSingleEnv",
    "FunctionalVectorEnv",
    "GymnaxView",
    "Info",
    "Policy",
    "Rollout",
    "Runner",
    "Source",
    "Tape",
    "Transition",
    "begin",
    "draw",
    "jit",
    "lane_keys",
    "make_tape",
    "moment_keys",
    "no_info",
    "one_lane",
    "precision",
    "rollout",
    "struct",
]
