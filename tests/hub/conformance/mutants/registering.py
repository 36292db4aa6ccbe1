"""Registering every environment class of a module with Gymnasium."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import gymnasium
from gymnasium.vector import VectorEnv

PACKAGE = "tests.hub.conformance.mutants"


def env_id(name: str) -> str:
    """Return the id of a mutant, in the form that any process understands."""
    return f"{PACKAGE}:mutants/{name}-v0"


def register(module: ModuleType) -> None:
    """Register the environment classes that `module` defines."""
    for name, kind in vars(module).items():
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        options: dict[str, Any] = {"entry_point": f"{module.__name__}:{name}"}
        if issubclass(kind, VectorEnv):
            options = {
                "entry_point": f"{PACKAGE}.good:Good",
                "vector_entry_point": f"{module.__name__}:{name}",
                "max_episode_steps": 20,
            }
        elif not issubclass(kind, gymnasium.Env):
            continue
        says = name.startswith("SaysNondeterministic")
        options["kwargs"] = getattr(kind, "registered", {})
        gymnasium.register(f"mutants/{name}-v0", nondeterministic=says, **options)
