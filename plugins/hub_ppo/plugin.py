"""The hooks of the PPO plugin; imported with the hub, so it imports nothing else."""

from __future__ import annotations

from hub import RegisterComponent, hookimpl

RECIPES = {
    "pong": ("PONG", "C Pong with a small network: a winning policy in about a minute of CPU."),
    "pong-python": ("PONG_PYTHON", "The same in the Python reference: the other arm of L4."),
    "pong-jax": ("PONG_JAX", "The same in JAX, rollout and update in one compiled call."),
    "pong-gru": ("PONG_GRU", "JAX Pong with the paper's hyper-parameters and a GRU of 2M."),
    "halfcheetah": ("HALF_CHEETAH", "JAX HalfCheetah, fused, to a return above 1,000."),
    "halfcheetah-mujoco": ("HALF_CHEETAH_MUJOCO", "The same in Gymnasium's HalfCheetah-v5."),
}


@hookimpl
def hub_register_trainers(register: RegisterComponent) -> None:
    """Register both trainers."""
    register("ppo", "hub_ppo.trainers:TORCH", "PPO in torch, for any vector environment.")
    register("ppo-jax", "hub_ppo.trainers:JAX", "PPO in JAX, fused with the environment.")


@hookimpl
def hub_register_recipes(register: RegisterComponent) -> None:
    """Register the recipes of `hub train`."""
    for name, (attribute, summary) in RECIPES.items():
        register(name, f"hub_ppo.recipes:{attribute}", summary)


@hookimpl
def hub_register_benchmarks(register: RegisterComponent) -> None:
    """Register the suite `train`."""
    summary = "PPO: training steps per second, where the time goes, reward reached."
    register("train", "hub_ppo.suite:run", summary)
