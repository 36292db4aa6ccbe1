"""The policy file, and acting from one with NumPy alone.

A policy is one `.npz` file (a zip of `.npy` arrays, read without pickle): the weights by their
names in `hub_ppo.network`, float32, and `header`, the bytes of a JSON object in UTF-8:

| key | what |
| --- | --- |
| `schema` | `"hub.policy/1"` |
| `trainer` | `"ppo"` or `"ppo-jax"` |
| `env_id`, `seed`, `steps` | trained where, with which seed, for how many environment steps |
| `interface` | the spaces (`hub_ppo.spaces.Interface`) |
| `settings` | the hyper-parameters (`hub_ppo.settings.Settings`) |
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hub.errors import PolicyError
from hub_ppo import network
from hub_ppo.settings import Settings
from hub_ppo.spaces import Interface

SCHEMA = "hub.policy/1"
FILE = "policy.npz"


def header(
    trainer: str, env_id: str, seed: int, steps: int, interface: Interface, settings: Settings
) -> dict[str, Any]:
    """Return the header of a policy."""
    return {
        "schema": SCHEMA,
        "trainer": trainer,
        "env_id": env_id,
        "seed": seed,
        "steps": steps,
        "interface": interface.to_json(),
        "settings": settings.to_json(),
    }


def save(path: Path, weights: Mapping[str, Any], head: Mapping[str, Any]) -> None:
    """Write a policy file, whole or not at all."""
    text = json.dumps(head, allow_nan=False).encode()
    arrays: dict[str, NDArray[Any]] = {n: np.asarray(w, np.float32) for n, w in weights.items()}
    arrays["header"] = np.frombuffer(text, np.uint8)
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    partial.replace(path)


def load(path: Path) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Read a policy file: weights and header.

    Raises:
        PolicyError: A `ValueError`: it is no policy file of this schema.
    """
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head: dict[str, Any] = json.loads(arrays.pop("header").tobytes())
    except (OSError, EOFError, ValueError, KeyError, AttributeError, zipfile.BadZipFile) as error:
        raise PolicyError(f"{path}: expected a policy as `hub train` saves it ({error})") from error
    if head.get("schema") != SCHEMA:
        raise PolicyError(f"{path}: schema {head.get('schema')!r}: expected {SCHEMA!r}")
    _check(path, arrays, head)
    return arrays, head


def _check(path: Path, weights: Mapping[str, Any], head: Mapping[str, Any]) -> None:
    """Refuse weights that are not those of the network that the header describes."""
    try:
        interface, settings = Interface.from_json(head["interface"]), head["settings"]
        expected = network.shapes(
            network=settings["network"],
            hidden=settings["hidden"],
            inputs=interface.inputs,
            outputs=interface.outputs,
            continuous=interface.continuous,
        )
    except (KeyError, TypeError) as error:
        raise PolicyError(f"{path}: its header lacks or misstates {error}") from error
    found = {name: value.shape for name, value in weights.items()}
    wrong = sorted(n for n in expected | found if expected.get(n) != found.get(n))
    if wrong:
        name = wrong[0]
        raise PolicyError(
            f"{path}: weight {name} has shape {found.get(name)}: expected {expected.get(name)}"
        )


class SavedPolicy:
    """A policy file acting: the likeliest action, so it draws nothing.

    Args:
        path: Of the file.

    Raises:
        PolicyError: It is no policy file.
    """

    def __init__(self, path: Path) -> None:
        self.weights, self.header = load(path)
        self.interface = Interface.from_json(self.header["interface"])
        self._memory: NDArray[np.float32] | None = None

    def __call__(self, observations: Any, starts: NDArray[Any]) -> NDArray[Any]:
        """Choose one action a lane; see `hub.fidelity.Policy`.

        Raises:
            PolicyError: A `ValueError`: the observations are not those of the environment that it
                was trained in.
        """
        given = np.asarray(observations)
        if given.size != len(starts) * self.interface.inputs:
            raise PolicyError(
                f"observations of shape {given.shape}: this policy of {self.header['env_id']} "
                f"takes {len(starts)} lanes of {self.interface.inputs} numbers"
            )
        if self._memory is None:
            size = network.memory_size(self.weights)
            self._memory = np.zeros((len(starts), size), np.float32)
        flat = self.interface.flat(given)
        self._memory, policy, _ = network.step(np, self.weights, self._memory, flat, starts)
        raw = policy if self.interface.continuous else policy.argmax(-1)
        return self.interface.actions(raw)
