"""The registry: what the hub knows of each environment, and its registration with Gymnasium.

Gymnasium's `EnvSpec` has no place for licence, backend, reference or fidelity, and refuses live
objects when it is serialised. An `EnvCard` holds all of that as strings and JSON values; the
`EnvSpec` that Gymnasium sees names `hub.entry`, which resolves the card when it is called.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

import gymnasium

from hub.errors import CardError, UnknownEnvironment

Family = Literal["native", "jax", "agent", "python"]
Backend = Literal["c", "rust", "jax", "python"]

PREFIX = "hub:"
# Gymnasium's own pattern lets ':' into ids, which its loader then cannot split (bug B10).
_ID = re.compile(r"(?P<namespace>[A-Za-z0-9_.-]+)/(?P<name>[A-Za-z0-9_.-]+)-v(?P<version>\d+)")
_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def bare_id(env_id: str) -> str:
    """Return `env_id` without the `hub:` prefix (`"native/Pong-v0"`)."""
    return env_id.removeprefix(PREFIX)


def full_id(env_id: str) -> str:
    """Return `env_id` with the `hub:` prefix, the form that every document prints."""
    return PREFIX + bare_id(env_id)


@dataclass(frozen=True)
class Requirement:
    """Something that an environment needs besides the hub.

    Attributes:
        kind: `"distribution"` (looked up in the installed metadata) or `"program"` (on `PATH`).
        name: The distribution's or program's name.
        fix: The command that brings it.
    """

    kind: Literal["distribution", "program"]
    name: str
    fix: str

    def met(self) -> bool:
        """Tell whether it is there, without importing or running it."""
        if self.kind == "program":
            return shutil.which(self.name) is not None
        try:
            importlib.metadata.version(self.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        return True


@dataclass(frozen=True)
class EnvCard:
    """What the hub knows of one environment: strings and JSON values only.

    Attributes:
        id: `hub:<namespace>/<Name>-v<N>`; given without the prefix it is added.
        summary: One sentence.
        family: `native`, `jax`, `agent` or `python`.
        backend: `c`, `rust`, `jax` or `python`.
        entry_point: `module:Class` of the `gymnasium.Env`.
        vector_entry_point: `module:Class` of the `gymnasium.vector.VectorEnv`, or None.
        kwargs: Default keyword arguments of both, JSON values.
        max_episode_steps: Episode limit in steps, or None.
        order_enforce: As in `gymnasium.register`; off where the environment enforces it itself.
        disable_env_checker: As in `gymnasium.register`; the hub's own suite checks deeper.
        nondeterministic: True when a seed does not fix the episode.
        reference: What it is a translation of, for people to read; empty when it is none.
        requires: Distributions and programs that it needs.
        licence: SPDX expression of its rules and assets.
        docs: Path of its page in the source tree, or empty.
        fidelity: `module:DECLARATION` for `hub verify`, or empty.
        bench: Defaults of the benchmark, JSON values.
    """

    id: str
    summary: str
    family: Family
    backend: Backend
    entry_point: str
    vector_entry_point: str | None = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    max_episode_steps: int | None = None
    order_enforce: bool = True
    disable_env_checker: bool = False
    nondeterministic: bool = False
    reference: str = ""
    requires: tuple[Requirement, ...] = ()
    licence: str = "Apache-2.0"
    docs: str = ""
    fidelity: str = ""
    bench: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", full_id(self.id))
        match = _ID.fullmatch(bare_id(self.id))
        if match is None:
            raise CardError(
                f"id {self.id!r}: expected hub:<namespace>/<Name>-v<N> of letters, digits, _ . -"
            )
        for name, allowed in (("family", get_args(Family)), ("backend", get_args(Backend))):
            if getattr(self, name) not in allowed:
                raise CardError(
                    f"{self.id}: {name} {getattr(self, name)!r}: expected one of {allowed}"
                )
        for name in ("entry_point", "vector_entry_point", "fidelity"):
            target = getattr(self, name)
            if target and not (isinstance(target, str) and _TARGET.fullmatch(target)):
                raise CardError(f"{self.id}: {name} {target!r}: expected 'module:name'")
        for name in ("kwargs", "bench"):
            self._require_json(name)

    def _require_json(self, name: str) -> None:
        value = dict(getattr(self, name))
        try:
            same = json.loads(json.dumps(value, allow_nan=False)) == value
        except (TypeError, ValueError) as error:
            raise CardError(
                f"{self.id}: {name} holds a value that JSON cannot ({error}); "
                "register paths, dicts or 'module:function' strings and build objects in the class"
            ) from error
        if not same:
            raise CardError(
                f"{self.id}: {name} does not survive JSON (a tuple, or a key that is no string?): "
                f"{value!r}"
            )

    @property
    def namespace(self) -> str:
        """The part before the slash."""
        return bare_id(self.id).partition("/")[0]

    @property
    def name(self) -> str:
        """The part after the slash, version included (`"Pong-v0"`)."""
        return bare_id(self.id).partition("/")[2]

    def missing(self) -> tuple[Requirement, ...]:
        """Return the requirements that this machine does not meet."""
        return tuple(need for need in self.requires if not need.met())

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON values; `from_json` takes them back."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data["kwargs"], data["bench"] = dict(self.kwargs), dict(self.bench)
        data["requires"] = [vars(need) for need in self.requires]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EnvCard:
        """Make a card of what `to_json` returned."""
        requires = tuple(Requirement(**need) for need in data.get("requires", ()))
        return cls(**{**data, "requires": requires})


@dataclass(frozen=True)
class Conflict:
    """Two plugins claimed one name; the first kept it.

    Attributes:
        name: The id or component name.
        kept: The plugin that has it.
        refused: The plugin that came later.
    """

    name: str
    kept: str
    refused: str


class Registry:
    """Cards by id, with the plugin that each came from; mirrored into Gymnasium's registry."""

    def __init__(self) -> None:
        self._cards: dict[str, tuple[EnvCard, str]] = {}

    def __iter__(self) -> Iterator[EnvCard]:
        return iter([card for _, (card, _) in sorted(self._cards.items())])

    def __contains__(self, env_id: str) -> bool:
        return full_id(env_id) in self._cards

    def __len__(self) -> int:
        return len(self._cards)

    def card(self, env_id: str) -> EnvCard:
        """Return the card of `env_id` (with or without `hub:`).

        Raises:
            UnknownEnvironment: Nobody registered it; the message names the nearest ids.
        """
        try:
            return self._cards[full_id(env_id)][0]
        except KeyError:
            near = difflib.get_close_matches(full_id(env_id), self._cards, n=3, cutoff=0.6)
            hint = f"did you mean {', '.join(near)}?" if near else "`hub list` shows every id."
            raise UnknownEnvironment(f"no environment {full_id(env_id)}: {hint}") from None

    def owner(self, env_id: str) -> str:
        """Return the name of the plugin that registered `env_id`."""
        self.card(env_id)
        return self._cards[full_id(env_id)][1]

    def add(self, card: EnvCard, plugin: str) -> Conflict | None:
        """Register `card` here and with Gymnasium; on a claimed id keep the first."""
        if card.id in self._cards:
            return Conflict(card.id, kept=self._cards[card.id][1], refused=plugin)
        self._cards[card.id] = (card, plugin)
        bare = bare_id(card.id)
        vector = f"hub.entry:vector {bare}" if card.vector_entry_point else None
        gymnasium.register(
            bare,
            entry_point=f"hub.entry:single {bare}",
            vector_entry_point=vector,
            max_episode_steps=card.max_episode_steps,
            order_enforce=card.order_enforce,
            disable_env_checker=card.disable_env_checker,
            nondeterministic=card.nondeterministic,
            kwargs=dict(card.kwargs),
        )
        return None

    def discard(self, plugin: str) -> None:
        """Take back everything that `plugin` registered."""
        for env_id in [i for i, (_, owner) in self._cards.items() if owner == plugin]:
            del self._cards[env_id]
            gymnasium.registry.pop(bare_id(env_id), None)
