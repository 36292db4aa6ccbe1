"""The fidelity declaration of `hub:jax/Pong-v0`: JAX Pong against C Pong.

L4's margin of one point is the one that was published for a translation of this game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv

from hub.fidelity import (
    ActionSource,
    Declaration,
    Distributions,
    Exact,
    Reference,
    Sources,
    Transfer,
    random_actions,
    sticky_actions,
)
from hub_jax.pong_ladder.components import COMPONENTS
from hub_jax.pong_ladder.interactions import INTERACTIONS, follow
from hub_jax.pong_ladder.moments import ID, REFERENCE_ID
from hub_jax.pong_ladder.mutants import MUTANTS

# L4 as C Pong's own declaration has it: eight frames a decision, which a small network learns
# quickly, and a return that needs more than the 21 points that can be won.
GAME = {"frame_skip": 8}
TRAINING = {"lanes": 64, "steps": 64, "learning_rate": 2.5e-3, "anneal": True}


def make_engine(num_envs: int, **options: Any) -> VectorEnv[Any, Any, Any]:
    """JAX Pong as it is registered."""
    return gymnasium.make_vec(ID, num_envs, autoreset_mode="Disabled", **options)


def make_reference(**options: Any) -> gymnasium.Env[Any, Any]:
    """C Pong as it is registered."""
    return gymnasium.make(REFERENCE_ID, **options)


def _start(space: gymnasium.Space[Any], rng: np.random.Generator) -> Callable[[Any], int]:
    return lambda observation: int(follow(observation[None], rng)[0])


DECLARATION = Declaration(
    engine=make_engine,
    sources=Sources("hub_jax", ("pong.py", "pong_env.py", "threefry.py", "pong_ladder/*.py")),
    reference=Reference(
        make=make_reference,
        summary="C Pong of this hub, itself held against plain Python",
        distributions={"gymhub-pong": "0.1.0"},
        sources=Sources(
            package="hub_pong",
            files=("env.py", "options.py"),
            compiled=(
                "../../CMakeLists.txt",
                *(
                    f"../../csrc/{name}"
                    for name in (
                        *("batch.c", "batch.h", "core.cpp", "core.hpp", "guard.hpp"),
                        *("module.cpp", "pong.h", "pool.hpp", "threefry.h"),
                    )
                ),
            ),
            embedded="hub_pong._core:SOURCE_HASH",
        ),
    ),
    components=COMPONENTS,
    interactions=INTERACTIONS,
    rollouts=Exact(
        max_steps=1_500,
        lanes=32,
        actions=(
            random_actions(),
            sticky_actions(0.9),
            ActionSource("follows the ball, errs 0.2", _start),
        ),
        variants=({}, {"compat": "puffer"}),
    ),
    distributions=Distributions(horizons=(0, 40)),
    transfer=Transfer(
        margin=1.0,
        return_threshold=30.0,
        budget=400_000,
        fast_id=ID,
        reference_id=REFERENCE_ID,
        max_steps=10_000,
        trainer="ppo-jax",
        reference_trainer="ppo",
        trainer_options=TRAINING,
        engine_options=GAME,
        reference_options=GAME,
    ),
    mutants=MUTANTS,
)
