"""The card of HalfCheetah; imported with the hub, so it imports nothing else."""

from __future__ import annotations

from hub import EnvCard, Requirement

CARD = EnvCard(
    id="hub:jax/HalfCheetah-v0",
    summary="HalfCheetah in JAX: MuJoCo's dynamics of this model, equal step by step in float64.",
    family="jax",
    backend="jax",
    entry_point="hub_jax.cheetah.env:HalfCheetahEnv",
    vector_entry_point="hub_jax.cheetah.env:HalfCheetahVectorEnv",
    max_episode_steps=1000,
    order_enforce=False,  # the adapter raises ResetNeeded itself
    disable_env_checker=True,
    reference="HalfCheetah-v5 of Gymnasium 1.4.0 on MuJoCo 4.0.0",
    requires=(Requirement("distribution", "jax", "pip install jax"),),
    fidelity="hub_jax.cheetah.fidelity:DECLARATION",
    bench={
        "reference": "HalfCheetah-v5 sync",
        "peers": [
            "hub_jax.cheetah.bench:mjx",
            "hub_jax.cheetah.bench:brax_generalized",
            "hub_jax.cheetah.bench:mujoco_rollout",
        ],
        "lanes": [1, 16, 256, 1024, 4096],
        "goals": {
            "make_vec lanes=256 over MJX lanes=256": 10,
            "make_vec lanes=1024 over brax generalized lanes=1024": 8,
        },
    },
)
