"""Environments in JAX: `gymnasium.make("hub:jax/Pong-v0")`.

The cards are in `hub_jax.plugin`; this file imports nothing, because the hub imports the package
to register its ids.
"""
