"""The JAX contract: an environment as pure functions over a frozen pytree state.

    state = env.init(key, params)
    state, reward, terminated, truncated, info = env.step(key, state, action, params)
    observation = env.observe(state, params)

The functions are public and raw: no auto-reset, no episode limit, no jit. A trainer may scan
them; `hub.functional` turns the same record into a `VectorEnv`, an `Env`, a gymnax-style view
and a scanned rollout, which add the limit, fresh reset keys and compilation.

Axes. By default every function handles one lane, and adapters vmap it. With `batched=True` the
functions take all lanes at once: the leaves of the state carry the lanes on their LAST axis, so
that each quantity is one contiguous array, and what crosses the contract (keys, actions,
observations, rewards, flags, info) carries them on its first axis.

Players. With `players > 1` actions, observations, rewards and masks carry a `[players]` axis
(after the lanes, where there are lanes), whether the players move in turn or at once:
`info["to_move"]` (`[players] bool`) names those whose action counts; the others' are ignored.

Masks. `info["action_mask"]` (`[n] bool`, or `[players, n]`) marks the legal actions. Every row
has at least one; a player who is not to move has exactly one, so that its log-probability and
its entropy vanish from a loss by themselves. `state_info` gives the same entries for a state
that no step led to (a reset), and `step` repeats them for the state that it returns.

Randomness. `key` is a JAX PRNG key, or a `Tape` of recorded draws in its place; see `draws`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, dataclass_transform

import gymnasium
import jax

from hub.functional.draws import Source

S = TypeVar("S")
P = TypeVar("P")
T = TypeVar("T")

Array: TypeAlias = jax.Array
Pytree: TypeAlias = Any
Info: TypeAlias = dict[str, Any]
Dtype: TypeAlias = Literal["float32", "float64"]


@dataclass_transform(frozen_default=True)
def struct(cls: type[T]) -> type[T]:
    """Make `cls` a frozen dataclass that JAX treats as a pytree node.

    Write each field's shape and dtype in a comment: `position: Array  # [3] float32`.
    """
    return jax.tree_util.register_dataclass(dataclasses.dataclass(frozen=True)(cls))


class Transition(NamedTuple, Generic[S]):
    """What one `step` returns."""

    state: S
    reward: Array  # [] float, or [players]
    terminated: Array  # [] bool: the game's own end
    truncated: Array  # [] bool: an end that is not the game's (the adapters add the episode limit)
    info: Info  # arrays; the same keys, shapes and dtypes at every step


def no_info(state: Any, params: Any) -> Info:
    """Describe a state of a game that has nothing to say beside its observation."""
    return {}


@dataclasses.dataclass(frozen=True, eq=False)
class FunctionalEnv(Generic[S, P]):
    """An environment: its functions and what is static about them.

    Records are compared and hashed by identity, and compiled code is cached per record: make
    the factory of an environment return one record per configuration (`functools.cache`), so
    that a second instance does not compile again.
    """

    name: str
    init: Callable[[Source, P], S]  # begins an episode
    step: Callable[[Source, S, Any, P], Transition[S]]
    observe: Callable[[S, P], Any]  # what the policy sees of a state
    params: P  # default parameters: a pytree of numbers, traced
    observation_space: gymnasium.Space[Any]  # of one lane and, with players > 1, one player
    action_space: gymnasium.Space[Any]  # likewise
    state_info: Callable[[S, P], Info] = no_info  # mask, to_move: the info of a reset
    # Begins the lane's next episode from its last state. For games whose own random stream runs
    # through all episodes of a lane: their `init` gets the lane's key itself, whose data are the
    # seed's two words. Without `restart` each episode is an `init` with a fresh key.
    restart: Callable[[Source, S, P], S] | None = None
    # All rewards of a game that has only a few: what leaves the device as the float32 next to 0.1
    # is handed out as 0.1.
    reward_levels: tuple[float, ...] = ()
    render: Callable[[S, P], Any] | None = None  # one lane's state as NumPy -> [h, w, 3] uint8
    ansi: Callable[[S, P], str] | None = None  # one lane's state as NumPy -> text
    render_fps: int = 30
    max_episode_steps: int | None = None
    batched: bool = False
    players: int = 1
    dtype: Dtype = "float32"  # float64: the adapters trace and run the functions under x64
    # Options of the outermost jit, which is the adapter's: JAX refuses them on an inner one.
    compiler_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def begin(self, key: Source, state: S, params: P) -> S:
        """Begin the next episode of a lane whose last state is `state`."""
        if self.restart is None:
            return self.init(key, params)
        return self.restart(key, state, params)

    @property
    def render_modes(self) -> list[str]:
        """The render modes that this environment has."""
        return [m for m, f in (("rgb_array", self.render), ("ansi", self.ansi)) if f is not None]
