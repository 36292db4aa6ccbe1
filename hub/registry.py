"""The registry: what the hub knows of each environment, and its registration with Gymnasium.

Gymnasium's `EnvSpec` has no place for licence, backend, reference or fidelity, and refuses live
objects when it is serialised. An `EnvCard` holds all of that as strings and JSON values; the
`EnvSpec` that Gymnasium sees names `hub.entry`, which resolves the card when it is called.
"""

from __future__ import annotations

import copy
import difflib
import importlib.metadata
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

import gymnasium

from hub import card_fields as fields
from hub import settings
from hub.errors import CardError, UnknownEnvironment

Family = Literal["native", "jax", "agent", "python"]
Backend = Literal["c", "rust", "jax", "python"]

PREFIX = "hub:"
# Gymnasium's own pattern lets ':' into ids, which its loader then cannot split (bug B10), and
# turns -v01 into -v1, under which nobody would find the card.
_ID = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+-v(0|[1-9][0-9]*)")
_CHECKS = {
    "summary": fields.check_text,
    "entry_point": fields.check_target,
    "kwargs": fields.check_json,
    "max_episode_steps": fields.check_limit,
    "order_enforce": fields.check_switch,
    "disable_env_checker": fields.check_switch,
    "nondeterministic": fields.check_switch,
    "licence": fields.check_text,
    "bench": fields.check_bench,
}


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
        kind: `"distribution"` (looked up in the installed metadata), `"program"` (on `PATH`) or
            `"plugin"` (an entry point that no environment variable keeps out; the hub's own use).
        name: The distribution's or program's name; of programs that do equally, `a|b`.
        fix: The command that brings it.
    """

    kind: Literal["distribution", "program", "plugin"]
    name: str
    fix: str

    def __post_init__(self) -> None:
        if self.kind not in ("distribution", "program", "plugin"):
            raise CardError(f"kind {self.kind!r} of {self.name}: expected distribution or program")
        fields.check_text("requirement's name", self.name)
        fields.check_text(f"fix of {self.name}", self.fix)

    def met(self) -> bool:
        """Tell whether it is there, without importing or running it."""
        if self.kind == "program":
            return any(shutil.which(name) for name in self.name.split("|"))
        if self.kind == "plugin":
            return not settings.plugin_kept_out(self.name)
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
        fields.check_text("id", self.id)
        object.__setattr__(self, "id", full_id(self.id))
        if not _ID.fullmatch(bare_id(self.id)):
            raise CardError(
                f"id {self.id!r}: expected hub:<namespace>/<Name>-v<N>; letters, digits, _ and -, "
                "in the name also '.'"
            )
        for name, allowed in (("family", get_args(Family)), ("backend", get_args(Backend))):
            if getattr(self, name) not in allowed:
                raise CardError(
                    f"{self.id}: {name} {getattr(self, name)!r}: expected one of {allowed}"
                )
        for name, check in _CHECKS.items():
            check(f"{self.id}: {name}", getattr(self, name))
        for name in ("reference", "docs"):
            fields.check_text(f"{self.id}: {name}", getattr(self, name), empty=True)
        if self.vector_entry_point is not None:
            fields.check_target(f"{self.id}: vector_entry_point", self.vector_entry_point)
        if self.fidelity != "":
            fields.check_target(f"{self.id}: fidelity", self.fidelity)
        self._check_requires()

    def _check_requires(self) -> None:
        needs: Any = self.requires
        whole = isinstance(needs, (tuple, list))
        wrong = [need for need in needs if not isinstance(need, Requirement)] if whole else [needs]
        if wrong:
            raise CardError(
                f"{self.id}: requires {wrong[0]!r}: expected a tuple of hub.Requirement"
            )
        object.__setattr__(self, "requires", tuple(needs))

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

    def reason(self) -> str:
        """Say what is missing on this machine; empty when nothing is."""
        needs = self.missing()
        absent = [f"{need.kind} {need.name}" for need in needs if need.kind != "plugin"]
        if absent:
            return f"needs {' and '.join(absent)}, not installed here"
        kept_out = [need.name for need in needs]
        words = "which HUB_PLUGINS or HUB_BLOCK_PLUGINS keeps out"
        return f"needs plugin {' and '.join(kept_out)}, {words}" if kept_out else ""

    def fix(self) -> str:
        """Return the commands that bring what is missing; empty when nothing is."""
        return " && ".join(dict.fromkeys(need.fix for need in self.missing()))

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON values, none of them shared with it."""
        data = asdict(replace(self, kwargs=dict(self.kwargs), bench=dict(self.bench)))
        return {**data, "requires": list(data["requires"])}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EnvCard:
        """Make a card of what `to_json` returned.

        Raises:
            CardError: A field is unknown, missing or breaks the card's contract.
        """
        try:
            requires = tuple(Requirement(**need) for need in data.get("requires", ()))
            return cls(**{**data, "requires": requires})
        except TypeError as error:
            raise CardError(f"card {data.get('id', '?')}: {error}") from error


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
    """Cards by id, with the plugin that each came from; mirrored into Gymnasium's registry.

    Attributes:
        failed: What went wrong in plugins that failed, by the namespace that they would have had.
        blocked: Names of the plugins that environment variables keep out.
    """

    def __init__(self) -> None:
        self._cards: dict[str, tuple[EnvCard, str]] = {}
        self.failed: dict[str, str] = {}
        self.blocked: list[str] = []

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
            if env_id in gymnasium.registry:
                raise UnknownEnvironment(
                    f"{env_id} is no id of the hub but another that Gymnasium knows; `hub check`, "
                    "`hub play`, `hub train` and `hub bench --id` take it, all else ids of the hub"
                ) from None
            raise UnknownEnvironment(
                f"no environment {full_id(env_id)}: {self._hint(env_id)}"
            ) from None

    def claims(self, env_id: str) -> bool:
        """Tell whether only the hub could know `env_id`: it says so, or its plugin failed."""
        bare = bare_id(env_id)
        if bare in gymnasium.registry:
            return env_id in self
        return env_id.startswith(PREFIX) or bare.partition("/")[0] in self.failed

    def _hint(self, env_id: str) -> str:
        failure = self.failed.get(bare_id(env_id).partition("/")[0])
        if failure:
            return f"{failure} (`hub plugins` shows more)"
        # A namespace that is left out or wrong should still lead to the name.
        by_name = {card.name: card.id for card in self}
        name = bare_id(env_id).rpartition("/")[2]
        near = difflib.get_close_matches(full_id(env_id), self._cards, n=3) or [
            by_name[match] for match in difflib.get_close_matches(name, by_name, n=3)
        ]
        hint = f"did you mean {', '.join(near)}?" if near else "`hub list` shows every id"
        if self.blocked:
            names = ", ".join(self.blocked)
            hint += f" HUB_PLUGINS or HUB_BLOCK_PLUGINS keeps out: {names}"
        return hint

    def owner(self, env_id: str) -> str:
        """Return the label of the plugin that registered `env_id`."""
        self.card(env_id)
        return self._cards[full_id(env_id)][1]

    def add(self, card: EnvCard, plugin: str) -> Conflict | None:
        """Register `card` here and with Gymnasium; on a claimed id keep the first."""
        bare = bare_id(card.id)
        if card.id in self._cards:
            return Conflict(card.id, kept=self._cards[card.id][1], refused=plugin)
        if bare in gymnasium.registry:
            return Conflict(card.id, kept=str(gymnasium.registry[bare].entry_point), refused=plugin)
        vector = f"hub.entry:vector {bare}" if card.vector_entry_point else None
        gymnasium.register(
            bare,
            entry_point=f"hub.entry:single {bare}",
            vector_entry_point=vector,
            max_episode_steps=card.max_episode_steps,
            order_enforce=card.order_enforce,
            disable_env_checker=card.disable_env_checker,
            nondeterministic=card.nondeterministic,
            kwargs=copy.deepcopy(dict(card.kwargs)),
        )
        self._cards[card.id] = (card, plugin)
        return None

    def discard(self, plugin: str) -> None:
        """Take back everything that `plugin` registered."""
        for env_id in [i for i, (_, owner) in self._cards.items() if owner == plugin]:
            del self._cards[env_id]
            gymnasium.registry.pop(bare_id(env_id), None)
