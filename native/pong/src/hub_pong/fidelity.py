"""The fidelity declaration of `hub:native/Pong-v0`: C Pong against the Python reference.

L4's margin of one point is the one that was published for a translation of this game.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium.vector import VectorEnv

from hub.fidelity import (
    Declaration,
    Distributions,
    Exact,
    Peer,
    Reference,
    Sources,
    Transfer,
    random_actions,
    sticky_actions,
)
from hub_pong.components import COMPONENTS
from hub_pong.interactions import INTERACTIONS
from hub_pong.mutants import MUTANTS
from hub_pong.options import PUFFER
from hub_pong.players import follow_ball, foresee_ball
from hub_pong.puffer import PufferLibPongEnv
from hub_pong.reference import PythonPongEnv

ID, REFERENCE_ID = "hub:native/Pong-v0", "hub:native/PongPython-v0"
MAX_STEPS = 10_000  # as both are registered
# L4 is played at eight frames a decision: a small network learns it in half a minute of one core
# and then returns the ball some 300 times an episode. Points alone give 21 at most, so that a
# policy of `return_threshold` 30 wins nearly all of them in rallies.
GAME = {"frame_skip": 8}
TRAINING = {"lanes": 64, "steps": 64, "learning_rate": 2.5e-3, "anneal": True}


def make_engine(num_envs: int, **options: Any) -> VectorEnv[Any, Any, Any]:
    """C Pong as it is registered."""
    return gymnasium.make_vec(ID, num_envs, autoreset_mode="Disabled", **options)


PUFFERLIB = Peer(
    name="PufferLib's C Pong",
    make=PufferLibPongEnv,
    summary="PufferLib's binary with the serves of our seeds",
    distributions={"pufferlib": "3.0.0"},
    # It divides where the core multiplies by the reciprocal, so that every rule may be equal and
    # an observation an ulp below 1 off. One unit of the court is 1/640 of an observation or more.
    tolerance=2.0**-24,
    last_observation=False,
    rollouts=Exact(
        max_steps=1_500,
        lanes=32,
        actions=(random_actions(), sticky_actions(0.9), follow_ball(0.2), foresee_ball()),
        variants=tuple({"compat": PUFFER, "frame_skip": frames} for frames in (1, 2, 3, 8)),
    ),
)

DECLARATION = Declaration(
    engine=make_engine,
    sources=Sources(
        package="hub_pong",
        files=(
            *("env.py", "options.py", "moments.py", "components.py", "interactions.py"),
            *("players.py", "puffer.py"),
        ),
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
    reference=Reference(
        make=PythonPongEnv,
        summary="Pong in plain Python, written from the published rules",
        sources=Sources("hub_pong", ("reference.py", "options.py")),
    ),
    components=COMPONENTS,
    interactions=INTERACTIONS,
    rollouts=Exact(
        max_steps=1_500,
        lanes=32,
        actions=(random_actions(), sticky_actions(0.9), follow_ball(0.2)),
        variants=({}, {"compat": "puffer"}),
    ),
    distributions=Distributions(horizons=(0, 40)),
    peers=(PUFFERLIB,),
    transfer=Transfer(
        margin=1.0,
        return_threshold=30.0,
        budget=400_000,
        fast_id=ID,
        reference_id=REFERENCE_ID,
        max_steps=MAX_STEPS,
        trainer_options=TRAINING,
        engine_options=GAME,
        reference_options=GAME,
    ),
    mutants=MUTANTS,
)
