"""What `hub info` and the pages under docs/ say of an environment, gathered from its parts.

The card is known without importing anything; options, rules and spaces come from the class, its
docstrings and an instance, so they cannot differ from what runs.
"""

from __future__ import annotations

import enum
import inspect
import sys
from typing import Any

import gymnasium

from hub.entry import options
from hub.plugins import PLUGINS, load
from hub.registry import EnvCard, bare_id

Described = dict[str, Any]


def availability(card: EnvCard) -> Described:
    """Return whether `card` can be made here, else why not and what brings it."""
    reason = card.reason()
    return {"available": not reason, "reason": reason, "fix": card.fix()}


def fidelity(card: EnvCard) -> str | None:
    """Return how the certificate stands (`"L3 verified"`, `"L3 stale"`, `"fails L2"`...).

    `"not verified"` without a certificate at hand, `"L3 not checked"` where a package that it
    speaks of is not installed.

    None when the environment claims no reference. Reads JSON and hashes only.
    """
    if not card.fidelity:
        return None
    from hub.fidelity.standing import status

    standing = status(card)
    if standing.state == "failed":  # always at the first level that is not reached
        return f"fails L{standing.level + 1}"
    if standing.state == "none" or (standing.state == "not-checked" and not standing.date):
        return "not verified"
    return f"L{standing.level} {standing.state.replace('not-checked', 'not checked')}"


def describe(card: EnvCard) -> Described:
    """Return everything about `card` as JSON values.

    An absent environment has its card and `None` or nothing for what only its code can tell.
    """
    described: Described = {
        **card.to_json(),
        **availability(card),
        "plugin": PLUGINS.registry.owner(card.id),
        "fidelity_status": fidelity(card),
        "observation_space": None,
        "action_space": None,
        "render_modes": [],
        "options": [],
        "vector_options": [],
        "rules": "",
    }
    if described["available"]:
        described.update(_from_code(card))
    return described


def _from_code(card: EnvCard) -> Described:
    single = load(card.entry_point)
    vector = load(card.vector_entry_point) if card.vector_entry_point else None
    env = gymnasium.make(bare_id(card.id), disable_env_checker=True)
    try:
        return {
            "observation_space": repr(env.observation_space),
            "action_space": repr(env.action_space),
            "render_modes": list(env.metadata.get("render_modes", [])),
            "options": option_rows(single, card),
            "vector_options": [] if vector is None else option_rows(vector, card),
            "rules": _rules(single),
        }
    finally:
        env.close()


def option_rows(create: Any, card: EnvCard) -> list[Described]:
    """Return the keyword arguments that `create` takes, with the card's defaults."""
    rows = []
    for name, parameter in (options(create) or {}).items():
        required = parameter.default is parameter.empty and name not in card.kwargs
        default = card.kwargs.get(name, parameter.default)
        annotation = parameter.annotation
        kind = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        rows.append(
            {
                "name": name,
                "type": "" if annotation is parameter.empty else kind,
                "required": required,
                "default": None if required else _json_or_repr(default),
            }
        )
    return rows


def _json_or_repr(value: Any) -> Any:
    value = value.value if isinstance(value, enum.Enum) else value
    plain = value is None or isinstance(value, bool | int | float | str)
    return value if plain else repr(value)


def _rules(create: Any) -> str:
    module = sys.modules[create.__module__]
    text = inspect.cleandoc(module.__doc__ or "")
    return text or inspect.getdoc(create) or ""
