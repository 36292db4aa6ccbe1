"""The autoreset mode that an adapter needs."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode, VectorEnv


def require_same_step(env: VectorEnv[Any, Any, Any], who: str) -> None:
    """Raise `ValueError`, with the fix, unless `env` resets in the step that ends an episode."""
    mode = env.metadata.get("autoreset_mode")
    if mode is None or AutoresetMode(mode) is not AutoresetMode.SAME_STEP:
        raise ValueError(
            f"autoreset mode {mode}: {who} needs SAME_STEP. Make the environment with "
            "gymnasium.make_vec(id, num_envs, autoreset_mode='SameStep'); a SyncVectorEnv takes "
            "vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP}"
        )
