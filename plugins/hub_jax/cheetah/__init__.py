"""HalfCheetah in JAX: `gymnasium.make("hub:jax/HalfCheetah-v0")`.

This file imports nothing, because the hub imports the package to register its ids.
"""
