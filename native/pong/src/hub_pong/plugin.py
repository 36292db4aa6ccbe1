"""The cards of this distribution; imported with the hub, so it imports nothing else."""

from __future__ import annotations

from hub import EnvCard, Requirement, hookimpl
from hub.hookspecs import RegisterEnv

_RULES = "PufferLib Ocean Pong (pong.h of 2025), rules mended; compat='puffer' keeps them"
_REQUIRES = (Requirement("distribution", "gymhub-pong", "pip install ./native/pong"),)

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
        requires=_REQUIRES,
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
