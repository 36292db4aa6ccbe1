"""Where Gymnasium's specs of hub ids point: `hub.entry:single <id>` and `hub.entry:vector <id>`.

Gymnasium loads `module:attribute`; this module answers any such attribute (PEP 562) with a
creator for that id. So one place turns a missing part or a misspelt option into a clear error,
and a spec stays two strings that survive JSON and pickling.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any, cast

import gymnasium

from hub.errors import MissingDependency, UnknownOption
from hub.plugins import PLUGINS, load
from hub.registry import EnvCard


def require(card: EnvCard) -> None:
    """Raise `MissingDependency`, with the fix, unless everything that `card` needs is there."""
    reason = card.reason()
    if reason:
        raise MissingDependency(f"{card.id} {reason}. Fix: {card.fix()}")


class Creator:
    """Makes the single or vector environment of one card; what Gymnasium calls."""

    def __init__(self, card: EnvCard, target: str) -> None:
        self.card = card
        self._target = target

    def target(self) -> Callable[..., Any]:
        """Return what makes the environment: its class, or a function.

        Raises:
            MissingDependency: A distribution or program that it needs is absent.
            TargetError: Its module cannot be imported.
        """
        require(self.card)
        return cast("Callable[..., Any]", load(self._target))

    @property
    def metadata(self) -> dict[str, Any]:
        """The class's metadata, from which Gymnasium reads the render modes."""
        if self.card.missing():
            raise AttributeError("metadata: the environment's distribution is not installed")
        metadata: dict[str, Any] = load(self._target).metadata
        return metadata

    def __call__(self, **kwargs: Any) -> Any:
        """Make the environment; see the class's docstring (`hub info ID`) for the options.

        Raises:
            MissingDependency: A distribution or program that it needs is absent.
            TargetError: Its module cannot be imported.
            UnknownOption: The environment has no such keyword argument.
        """
        create = self.target()
        single = self._target == self.card.entry_point
        check_options(self.card.id, create, kwargs, single=single)
        return create(**kwargs)


def options(create: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """Return the keyword arguments that `create` takes, or None when it takes any."""
    parameters = inspect.signature(create).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: p for name, p in parameters.items() if p.kind in by_name}


def check_options(
    env_id: str, create: Callable[..., Any], kwargs: dict[str, Any], *, single: bool = False
) -> None:
    """Raise `UnknownOption` naming the known ones if `create` lacks one of `kwargs`.

    Args:
        env_id: For the message.
        create: The environment's class, or a function that makes it.
        kwargs: What it is called with.
        single: Whether it makes one environment, which `make_vec` may put into lanes.
    """
    known = options(create)
    if known is None:
        return
    # Gymnasium hands render_mode to every constructor and words that error itself.
    for name in sorted(set(kwargs) - set(known) - {"render_mode"}):
        if single and name in _lane_keepers_options():
            raise UnknownOption(
                f"{env_id} got an unexpected keyword argument {name!r}: Gymnasium's SyncVectorEnv "
                "or AsyncVectorEnv has it, not the environment in its lanes; write "
                f"make_vec(..., vector_kwargs={{{name!r}: {kwargs[name]!r}}})"
            )
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        takes = ", ".join(sorted(known)) or "none"
        # Python's own words: stacks that probe for options (TorchRL) read them.
        raise UnknownOption(
            f"{env_id} got an unexpected keyword argument {name!r}{hint}; its options: {takes}"
        )


def _lane_keepers_options() -> set[str]:
    """Return the options of the vector environments that Gymnasium makes of single ones."""
    keepers = (gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv)
    return {name for keeper in keepers for name in options(keeper) or {}} - {"env_fns"}


def __getattr__(attribute: str) -> Creator:
    kind, _, env_id = attribute.partition(" ")
    if kind not in ("single", "vector") or not env_id:
        raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
    card = PLUGINS.registry.card(env_id)
    target = card.entry_point if kind == "single" else card.vector_entry_point
    if target is None:
        raise AttributeError(f"{card.id} has no vector environment of its own")
    return Creator(card, target)
