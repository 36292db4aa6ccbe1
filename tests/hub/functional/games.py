"""Small functional environments for the tests: a scripted one, a walk, and a two-player duel."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.spaces import Box, Discrete

from hub.functional import FunctionalEnv, Tape, Transition, draw, struct


@struct
class Script:
    count: jax.Array  # [] int32: steps of this episode
    length: jax.Array  # [] int32: the step at which it ends
    name: jax.Array  # [] int32: drawn at reset, tells episodes apart


def script_init(key, params):
    name = jax.random.randint(key, (), 0, 1 << 20)
    return Script(jnp.int32(0), jnp.int32(params), name)


def script_step(key, state, action, params):
    state = dataclasses.replace(state, count=state.count + 1)
    reward = state.count.astype(jnp.float32) + 10 * action
    info = {"count": state.count, "name": state.name, "deep": {"half": reward / 2}}
    return Transition(state, reward, state.count >= state.length, jnp.bool_(False), info)


def script_observe(state, params):
    return jnp.stack([state.count, state.name]).astype(jnp.float32)


def script_info(state, params):
    return {"name": state.name}


def script_picture(state, params):
    return np.full((4, 4, 3), state.count, np.uint8)


@functools.cache
def script(length=3):
    """Observation (count, name); reward count + 10 action; ends at step `length`."""
    return FunctionalEnv(
        name="script",
        init=script_init,
        step=script_step,
        observe=script_observe,
        params=np.int32(length),
        observation_space=Box(0, 1 << 20, (2,), np.float32),
        action_space=Discrete(2),
        state_info=script_info,
        render=script_picture,
    )


@struct
class Walk:
    place: jax.Array  # [2, lanes] float: the lanes are last
    source: jax.Array  # [lanes] keys


def walk_init(keys, params):
    place = jax.vmap(lambda key: jax.random.normal(key, (2,), params.dtype))(keys)
    return Walk(place.T, keys)


def walk_step(keys, state, action, params):
    place = jnp.tanh(state.place * params + action.T)
    far = place[0] > 0.9
    return Transition(
        Walk(place, state.source), place[0] - place[1], far, jnp.zeros_like(far), {"far": far}
    )


def walk_observe(state, params):
    return state.place.T


@functools.cache
def walk(dtype="float32"):
    """A continuous environment written for all lanes at once, the batch last."""
    return FunctionalEnv(
        name="walk",
        init=walk_init,
        step=walk_step,
        observe=walk_observe,
        params=np.array(0.7, dtype),
        observation_space=Box(-9, 9, (2,), dtype),
        action_space=Box(-1, 1, (2,), dtype),
        batched=True,
        dtype=dtype,
        compiler_options={"xla_disable_hlo_passes": "fusion"},
    )


# The duel: two players with health and energy; 0 passes, 1 strikes for a roll of 1 to 6 and costs
# one energy, 2 charges one energy (three at most). In turn, or both at once.

PASS, STRIKE, CHARGE = range(3)
FIRST = 7  # tag of the draw that chooses who begins; a strike's tag is its player's index
HEALTH = 12


@struct
class Duel:
    health: jax.Array  # [2] int32
    energy: jax.Array  # [2] int32
    to_move: jax.Array  # [2] bool


def duel_init(together, source, params):
    first, _ = draw(source, 0, 2, tag=FIRST)
    to_move = jnp.ones(2, bool) if together else jnp.arange(2) == first
    return Duel(jnp.full(2, HEALTH), jnp.ones(2, jnp.int32), to_move)


def duel_info(state, params):
    can = jnp.stack([jnp.ones(2, bool), state.energy > 0, state.energy < 3], axis=-1)
    mask = jnp.where(state.to_move[:, None], can, jnp.arange(3) == PASS)
    return {"action_mask": mask, "to_move": state.to_move}


def duel_step(together, source, state, action, params):
    action = jnp.where(state.to_move, action, PASS)
    strikes = action == STRIKE
    first, source = draw(source, 1, 7, tag=0, when=strikes[0])
    second, source = draw(source, 1, 7, tag=1, when=strikes[1])
    hurt = jnp.where(strikes, jnp.stack([first, second]), 0)[::-1]
    state = Duel(
        jnp.maximum(state.health - hurt, 0),
        state.energy - strikes + (action == CHARGE),
        state.to_move if together else ~state.to_move,
    )
    dead = state.health == 0
    reward = jnp.where(dead.any(), dead[::-1].astype(jnp.float32) - dead, 0.0)
    info = duel_info(state, params) | ({"tape": source} if isinstance(source, Tape) else {})
    return Transition(state, reward, dead.any(), jnp.bool_(False), info)


def duel_observe(state, params):
    mine = jnp.stack([state.health, state.energy], axis=-1)
    return jnp.concatenate([mine, mine[::-1]], axis=-1).astype(jnp.float32)


@functools.cache
def duel(together):
    """Two players, legal-action masks, draws that a tape can replace."""
    return FunctionalEnv(
        name="duel",
        init=functools.partial(duel_init, together),
        step=functools.partial(duel_step, together),
        observe=duel_observe,
        params=None,
        observation_space=Box(0, HEALTH, (4,), np.float32),
        action_space=Discrete(3),
        state_info=duel_info,
        players=2,
    )
