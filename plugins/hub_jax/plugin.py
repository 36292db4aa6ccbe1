"""The cards of the JAX family; imported with the hub, so it imports nothing else."""

from __future__ import annotations

from hub import EnvCard, Requirement, hookimpl
from hub.hookspecs import RegisterEnv
from hub_jax.cheetah.card import CARD as HALF_CHEETAH

_REQUIRES = (Requirement("distribution", "jax", "pip install jax"),)

CARDS = (
    EnvCard(
        id="hub:jax/Pong-v0",
        summary="Pong in JAX: the game of hub:native/Pong-v0 bit for bit, on CPU and GPU.",
        family="jax",
        backend="jax",
        entry_point="hub_jax.pong_env:PongEnv",
        vector_entry_point="hub_jax.pong_env:PongVectorEnv",
        max_episode_steps=10_000,
        order_enforce=False,  # the adapter raises ResetNeeded itself
        disable_env_checker=True,
        reference="hub:native/Pong-v0",
        fidelity="hub_jax.pong_ladder.fidelity:DECLARATION",
        requires=_REQUIRES,
        bench={
            "layers": "hub_jax.bench:pong_layers",
            "peers": ["hub:native/Pong-v0 make_vec", "hub_jax.bench:pong_peers"],
        },
    ),
    HALF_CHEETAH,
)


@hookimpl
def hub_register_envs(register: RegisterEnv) -> None:
    """Register the environments of the JAX family."""
    for card in CARDS:
        register(card)
