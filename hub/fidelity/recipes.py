"""Recipes of `hub train`: what is trained where, by whom and for how long, as data."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.errors import UnknownRecipe
from hub.plugins import PLUGINS


@dataclass(frozen=True)
class Recipe:
    """How to train one policy; registered by `hub_register_recipes`.

    Attributes:
        env_id: The environment's id.
        trainer: The trainer's registered name.
        budget: Environment steps.
        return_threshold: Return of training episodes that tells success, or None.
        options: The trainer's keyword arguments, JSON values.
    """

    env_id: str
    trainer: str
    budget: int
    return_threshold: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def find_recipe(name: str) -> Recipe:
    """Load the recipe that a plugin registered under `name`.

    Raises:
        UnknownRecipe: There is none; the message names the nearest.
    """
    recipes = PLUGINS.kind("recipes")
    if name not in recipes:
        near = difflib.get_close_matches(name, recipes, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(recipes) or 'none'}"
        raise UnknownRecipe(f"no recipe {name!r}: {hint}; an id has the form hub:jax/Pong-v0")
    recipe: Recipe = recipes[name].load()
    return recipe
