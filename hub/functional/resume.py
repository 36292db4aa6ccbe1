"""`snapshot()` and `restore()` of the adapters: all lanes as sealed bytes (`hub.snapshot`).

The payload is the `Carry`: its leaves in the order of the pytree, row-major, little-endian. The
configuration before it says of what: the environment and the options that its functions are bound
to, parameters, mode, limit, lanes, and a digest over the leaves' names, shapes and dtypes.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from hub.errors import SnapshotError
from hub.functional.batch import Carry
from hub.functional.compiled import Compiled, compiled, precision
from hub.functional.env import FunctionalEnv
from hub.functional.guard import Guarded, guarded
from hub.functional.keys import lane_keys
from hub.functional.setup import resolve_device
from hub.snapshot import seal, unseal

_LAYOUT = 1


class Resumable(Guarded):
    """Mixin of the adapters: the lanes that they step, and how to keep and resume them."""

    functional: FunctionalEnv[Any, Any]

    _mode: AutoresetMode
    _limit: int | None
    _lanes: int
    _device: str | jax.Device | None
    _params: Any
    _carry: Carry | None

    @guarded
    def snapshot(self) -> bytes:
        """Return the whole state: every lane, its random stream and its pending flags.

        The bytes carry a format version, a checksum and the configuration (environment, options,
        parameters, lanes, autoreset mode, episode limit). Wrappers keep their own state: a
        `TimeLimit` around a single environment is not part of it.

        Raises:
            gymnasium.error.ResetNeeded: Nothing has been reset yet.
            ClosedError: The environment was closed.
        """
        if self._carry is None:
            raise ResetNeeded("call reset() before snapshot()")
        with precision(self.functional):
            return seal(self._config(), _pack(self._carry))

    @guarded
    def restore(self, data: Any) -> Any:
        """Go back to the state that `snapshot` returned and return its observation.

        Args:
            data: The bytes, or what holds them: bytearray, memoryview, NumPy array.

        Raises:
            SnapshotError: `data` is no snapshot, damaged, of another version or of another
                configuration; the state is then unchanged.
            ClosedError: The environment was closed.
        """
        with precision(self.functional):
            carry = _unpack(self._template(), unseal(self._config(), data))
            place = resolve_device(self._device)
            self._params, self._carry = jax.device_put((self._params, carry), place)
            observation, _ = self._jits.look(self._carry, self._params)
        self._resumed(np.asarray(self._carry.pending))
        return self._handed_out(observation)

    @property
    def _jits(self) -> Compiled:
        return compiled(self.functional, self._mode, self._limit)

    def _resumed(self, pending: Any) -> None:
        """Take up which lanes, `[lanes] bool`, have ended."""
        raise NotImplementedError

    def _handed_out(self, observation: Any) -> Any:
        """Return the batched observation in the form that `reset` returns."""
        raise NotImplementedError

    def _template(self) -> Any:
        """Return the lanes' structure, shapes and dtypes; computes nothing."""
        return jax.eval_shape(self._jits.start, lane_keys([0] * self._lanes), self._params)

    def _config(self) -> str:
        leaves = jax.tree_util.tree_flatten_with_path(self._template())[0]
        layout = "\n".join(f"{jax.tree_util.keystr(p)} {v.shape} {v.dtype}" for p, v in leaves)
        options = _bound(self.functional)
        return (
            f"{self.functional.name} state {_LAYOUT}: {options} params={_values(self._params)} "
            f"autoreset={self._mode.value} max_episode_steps={self._limit or 0} "
            f"num_envs={self._lanes} layout={_digest(layout.encode())}"
        )


def _bound(env: FunctionalEnv[Any, Any]) -> str:
    """Return what the environment's functions are bound to: the options of its factory."""
    told = [f"dtype={env.dtype}"]
    for function in (env.init, env.step, env.observe, env.restart):
        if isinstance(function, functools.partial):
            told += [_told(value) for value in function.args]
            told += [f"{name}={_told(value)}" for name, value in function.keywords.items()]
    return " ".join(dict.fromkeys(told))


def _told(value: Any) -> str:
    # Others' repr may name an address, which differs in each process.
    plain = value is None or isinstance(value, (str, int, float))
    if plain or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        return repr(value)
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _values(params: Any) -> str:
    """Return the parameters as the device has them; arrays as a digest."""
    leaves = [np.asarray(jnp.asarray(leaf)) for leaf in jax.tree.leaves(params)]
    told = [_digest(leaf.tobytes()) if leaf.ndim else str(leaf) for leaf in leaves]
    return f"({', '.join(told)})"


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _pack(carry: Carry) -> bytes:
    data = jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, carry)
    return b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(jax.device_get(data)))


def _stored(leaf: Any) -> tuple[Any, Any]:
    """Return shape and dtype of a leaf as `_pack` stores it, and of keys the generator's name."""
    if not _is_key(leaf):
        return leaf, None
    kinds = []

    def data(key: Any) -> Any:
        kinds.append(jax.random.key_impl(key))
        return jax.random.key_data(key)

    return jax.eval_shape(data, leaf), kinds[0]


def _unpack(template: Any, payload: bytes) -> Any:
    """Return the lanes of a payload that `_pack` made of the same structure.

    Raises:
        SnapshotError: The payload has another length.
    """
    leaves, structure = jax.tree.flatten(template)
    stored = [_stored(leaf) for leaf in leaves]
    sizes = [leaf.size * leaf.dtype.itemsize for leaf, _ in stored]
    if sum(sizes) != len(payload):
        raise SnapshotError(f"{len(payload)} bytes of state, expected {sum(sizes)}: take a new one")
    taken, start = [], 0
    for (leaf, kind), size in zip(stored, sizes, strict=True):
        flat = np.frombuffer(payload, leaf.dtype, leaf.size, start)
        array = jnp.asarray(flat.reshape(leaf.shape))
        taken.append(array if kind is None else jax.random.wrap_key_data(array, impl=kind))
        start += size
    return jax.tree.unflatten(structure, taken)
