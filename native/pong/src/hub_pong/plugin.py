"""The cards of this distribution; imported with the hub, so it imports nothing else."""

from __future__ import annotations

from hub import EnvCard, Requirement, hookimpl
from hub.hookspecs import RegisterEnv

_RULES = "PufferLib Ocean Pong (pong.h of 2025), rules mended; compat='puffer' keeps them"
_REQUIRES = (Requirement("distribution", "gymhub-pong", "pip install ./native/pong"),)
_PUFFERLIB = "hub_pong.puffer:PufferLibPong-v0 make_vec"
_GOALS = {
    "make_vec lanes=1024 over bare C loop lanes=1024": 0.6,
    "make_vec lanes=1024 over CartPole-v1 sync lanes=64 per cpu-second": 100,
    "make_vec lanes=65536 threads=2 copy=false over make_vec lanes=65536 copy=false": 1.5,
    "make over CartPole-v1 make": 6,
    f"make_vec lanes=1024 copy=false over {_PUFFERLIB} lanes=1024 copy=false": 1,
}

CARDS = (
    EnvCard(
        id="hub:native/Pong-v0",
        summary="Pong in C: eight numbers, three actions, thousands of lanes in one call.",
        family="native",
        backend="c",
        entry_point="hub_pong.env:PongEnv",
        vector_entry_point="hub_pong.env:PongVectorEnv",
        max_episode_steps=10_000,
        order_enforce=False,  # the core raises ResetNeeded itself
        disable_env_checker=True,
        reference=_RULES,
        fidelity="hub_pong.fidelity:DECLARATION",
        requires=_REQUIRES,
        bench={
            "layers": "hub_pong.bench:layers",
            # PufferLib hands out its own arrays, too.
            "peers": [f"{_PUFFERLIB} copy=false"],
            "goals": _GOALS,
        },
    ),
    EnvCard(
        id="hub:native/PongPython-v0",
        summary="Pong in plain Python: the reference that the C core matches bit for bit.",
        family="python",
        backend="python",
        entry_point="hub_pong.reference:PythonPongEnv",
        max_episode_steps=10_000,
        reference=_RULES,
        requires=_REQUIRES,
    ),
)


@hookimpl
def hub_register_envs(register: RegisterEnv) -> None:
    """Register both implementations of Pong."""
    for card in CARDS:
        register(card)
