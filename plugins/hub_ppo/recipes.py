"""Recipes as data: environment, trainer, budget, options and the return that tells success."""

from __future__ import annotations

from typing import Any

from hub.fidelity import Recipe

PONG_RETURN = 15.0
CHEETAH_RETURN = 1_000.0

# A network that a CPU trains in half a minute: at eight frames a step a rally is some ten decisions
# long, and chance meets the ball often enough to learn from.
POCKET_PONG: dict[str, Any] = {
    "lanes": 64,
    "steps": 64,
    "learning_rate": 2.5e-3,
    "anneal": True,
    "env_options": {"frame_skip": 8},
}
POCKET_BUDGET = 400_000

PONG = Recipe("hub:native/Pong-v0", "ppo", POCKET_BUDGET, PONG_RETURN, POCKET_PONG)
PONG_PYTHON = Recipe("hub:native/PongPython-v0", "ppo", POCKET_BUDGET, PONG_RETURN, POCKET_PONG)
PONG_JAX = Recipe("hub:jax/Pong-v0", "ppo-jax", POCKET_BUDGET, PONG_RETURN, POCKET_PONG)

# The paper's: learning rate, clip, epochs, lambda and gamma are the defaults of `Settings`; a GRU
# of 576 has 2.0 M weights. Lanes, steps, entropy and minibatches are not given there.
PONG_GRU = Recipe(
    "hub:jax/Pong-v0",
    "ppo-jax",
    50_000_000,
    PONG_RETURN,
    {"network": "gru", "hidden": 576, "lanes": 4096, "steps": 64, "env_options": {"frame_skip": 4}},
)

CHEETAH: dict[str, Any] = {
    "lanes": 128,
    "steps": 64,
    "minibatches": 16,
    "learning_rate": 1e-3,
    "entropy": 0.0,
    "reward_scale": 0.1,
    "normalize": True,
    "anneal": True,
}
CHEETAH_BUDGET = 1_500_000
HALF_CHEETAH = Recipe("hub:jax/HalfCheetah-v0", "ppo-jax", CHEETAH_BUDGET, CHEETAH_RETURN, CHEETAH)
HALF_CHEETAH_MUJOCO = Recipe("HalfCheetah-v5", "ppo", CHEETAH_BUDGET, CHEETAH_RETURN, CHEETAH)
