"""Compiled lanes: one set of jitted functions per environment record, mode and limit."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from gymnasium.vector import AutoresetMode

from hub.errors import ForkedError
from hub.functional import batch as lanes
from hub.functional.env import Array, FunctionalEnv

_HOME = os.getpid()  # of this module's import, and so where JAX was loaded

_STEPS = {
    AutoresetMode.NEXT_STEP: lanes.step_next,
    AutoresetMode.SAME_STEP: lanes.step_same,
    AutoresetMode.DISABLED: lanes.step_disabled,
}


class Compiled(NamedTuple):
    """Jitted functions over lanes; `step` and `reset` consume (donate) the carry."""

    start: Callable[..., Any]  # (keys, params) -> carry
    reset: Callable[..., Any]  # (carry, keys, seeded, mask, params) -> carry
    step: Callable[..., Any]  # (carry, action, params) -> (carry, outcome)
    look: Callable[..., Any]  # (carry, params) -> (observation, state_info)


def jit(env: FunctionalEnv[Any, Any], function: Callable[..., Any], **options: Any) -> Any:
    """Jit `function` as outermost jit of `env`: with the compiler options that it asks for."""
    return jax.jit(function, compiler_options=dict(env.compiler_options) or None, **options)


def precision(env: FunctionalEnv[Any, Any]) -> Any:
    """Scope in which `env` is traced and run; the process's own x64 setting stays as it is."""
    return jax.enable_x64(env.dtype == "float64")


def check_process() -> None:
    """Refuse to run in a process forked after JAX was loaded.

    Raises:
        ForkedError: XLA's threads do not survive a fork; the next call would hang.
    """
    if os.getpid() != _HOME:
        raise ForkedError(
            "this process was forked after JAX was loaded, and JAX does not survive a fork; "
            "start workers by 'spawn' or 'forkserver', for example make_vec(..., "
            "vectorization_mode='async', vector_kwargs={'context': 'spawn'}), or leave "
            "vectorization_mode out: the environment batches its lanes itself"
        )


@functools.lru_cache(maxsize=64)
def compiled(env: FunctionalEnv[Any, Any], mode: AutoresetMode, limit: int | None) -> Compiled:
    """Return the jitted functions of `env`, shared by all its instances in the process."""
    batch = lanes.Batch(env)

    def reset(carry: lanes.Carry, keys: Array, seeded: Array, mask: Array, params: Any) -> Any:
        again = lanes.restart(batch, carry, mask & ~seeded, params)
        fresh = lanes.start(batch, keys, params)
        chosen = mask & seeded
        return lanes.Carry(
            batch.choose(chosen, fresh.state, again.state),
            jnp.where(chosen, fresh.keys, again.keys),
            *(
                jnp.where(chosen, getattr(fresh, name), getattr(again, name))
                for name in ("episode", "elapsed", "pending")
            ),
        )

    def look(carry: lanes.Carry, params: Any) -> Any:
        return batch.observe(carry.state, params), batch.state_info(carry.state, params)

    def step(carry: lanes.Carry, action: Any, params: Any) -> Any:
        return _STEPS[mode](batch, carry, action, params, limit)

    return Compiled(
        jit(env, functools.partial(lanes.start, batch)),
        jit(env, reset, donate_argnums=0),
        jit(env, step, donate_argnums=0),
        jit(env, look),
    )
