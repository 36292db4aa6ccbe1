"""Sending an `EnvSpec` to another process, and finding the one of an id."""

from __future__ import annotations

import base64
import importlib
import pickle

import cloudpickle  # type: ignore[import-untyped]  # it ships no types; Gymnasium depends on it
import gymnasium
from gymnasium.envs.registration import EnvSpec

import hub
from hub.registry import bare_id


def pack(spec: EnvSpec) -> str:
    """Return the spec as text; classes and functions of `__main__` travel by value."""
    return base64.b64encode(cloudpickle.dumps(spec)).decode()


def unpack(text: str) -> EnvSpec:
    """Return what `pack` packed, registered here too if its id was unknown."""
    spec = pickle.loads(base64.b64decode(text))
    assert isinstance(spec, EnvSpec)
    gymnasium.registry.setdefault(spec.id, spec)
    return spec


def find(env_id: str) -> EnvSpec:
    """Return the spec of an id, importing the module that it names (`module:Name-v0`)."""
    module, _, name = env_id.rpartition(":")
    if module:
        importlib.import_module(module)
    return gymnasium.spec(name)


def pack_local(env_id: str) -> str | None:
    """Return the packed spec of an id that only this process may know, or None.

    An id that names its module, or is the hub's, is found by any process; a spec that was
    registered by hand, in a script or a test, must be sent along.
    """
    spec = gymnasium.registry.get(bare_id(env_id))
    if spec is None or env_id in hub.PLUGINS.registry:
        return None
    return pack(spec)
