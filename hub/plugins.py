"""Guarded plugin loading: entry points of group `hub`, gymhub's own first.

A plugin is a module with hook implementations (`hub.hookspecs`). Whatever goes wrong in one, its
registrations are rolled back whole, the error is kept for `hub plugins` and `hub doctor`, and
every other plugin works on. Environment variables: `HUB_PLUGINS=a,b` loads only these entry
points, `HUB_BLOCK_PLUGINS=a,b` loads all but these, `HUB_STRICT_PLUGINS=1` raises the first error.
"""

from __future__ import annotations

import importlib
import os
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from hub import hookspecs
from hub.catalogue import catalogue_cards
from hub.errors import CardError, PluginError
from hub.registry import Conflict, EnvCard, Registry

GROUP = "hub"
CATALOGUE = "gymhub catalogue"
RESERVED_NAMESPACES = frozenset({"native", "jax", "agent"})
FIRST_PARTY = frozenset({"gymhub", "gymhub-pong", "gymhub-sandbox-init"})


def load(target: str) -> Any:
    """Import and return what `target` (`"module:attribute"`) names."""
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


@dataclass(frozen=True)
class Component:
    """Something named that a plugin registered (a benchmark suite, a command, a trainer...).

    Attributes:
        kind: The registration hook's tail: `benchmarks`, `commands`...
        name: Unique within its kind.
        target: `module:attribute`, imported on use by `load`.
        summary: One line for listings.
        plugin: The plugin that registered it.
    """

    kind: str
    name: str
    target: str
    summary: str
    plugin: str

    def load(self) -> Any:
        """Import and return the component."""
        return load(self.target)


@dataclass
class PluginRecord:
    """What became of one entry point.

    Attributes:
        name: The entry point's name.
        distribution: The distribution that declares it, and `version`.
        status: `loaded`, `failed` or `blocked`.
        error: One line, empty when all went well.
        details: The traceback of a failure.
        seconds: Time to import and register.
        hooks: Names of the hooks that it implements.
        unknown_hooks: Names that look like hooks and are none (a misspelling).
        envs: Ids that it registered.
    """

    name: str
    distribution: str = ""
    version: str = ""
    status: str = "loaded"
    error: str = ""
    details: str = ""
    seconds: float = 0.0
    hooks: list[str] = field(default_factory=list)
    unknown_hooks: list[str] = field(default_factory=list)
    envs: list[str] = field(default_factory=list)


class Plugins:
    """The plugin manager and everything that plugins registered."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager(hookspecs.PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self.registry = Registry()
        self.components: dict[tuple[str, str], Component] = {}
        self.records: list[PluginRecord] = []
        self.conflicts: list[Conflict] = []

    def kind(self, kind: str) -> dict[str, Component]:
        """Return the components of one kind (`"benchmarks"`), by name."""
        return {name: c for (k, name), c in sorted(self.components.items()) if k == kind}

    def load(self, points: Iterable[EntryPoint] | None = None) -> None:
        """Load the plugins of `points` (default: every installed entry point of group `hub`)."""
        only, blocked = _names("HUB_PLUGINS"), _names("HUB_BLOCK_PLUGINS")
        found = entry_points(group=GROUP) if points is None else points
        for point in sorted(found, key=lambda p: (_dist(p) not in FIRST_PARTY, p.name)):
            if (only and point.name not in only) or point.name in blocked:
                record = PluginRecord(point.name, *_dist_version(point), status="blocked")
                self.records.append(record)
            else:
                self._load_point(point)
        for card in catalogue_cards():
            if card.id not in self.registry:
                self.registry.add(card, CATALOGUE)

    def _load_point(self, point: EntryPoint) -> None:
        record = PluginRecord(point.name, *_dist_version(point))
        self.records.append(record)
        start = time.perf_counter()
        try:
            self.add(point.load(), record)
        # A plugin may fail in any way, and none may take the hub down (bugs: llm#1280).
        except (Exception, SystemExit) as error:
            self._roll_back(record, error)
            if os.environ.get("HUB_STRICT_PLUGINS") == "1":
                raise PluginError(f"plugin {record.name}: {record.error}") from error
        finally:
            record.seconds = time.perf_counter() - start

    def add(self, plugin: object, record: PluginRecord) -> None:
        """Register one plugin object and run its registration hooks, all or nothing."""
        self.manager.register(plugin, name=record.name)
        callers = self.manager.get_hookcallers(plugin) or []
        record.hooks = sorted(caller.name for caller in callers if caller.spec)
        record.unknown_hooks = sorted(caller.name for caller in callers if not caller.spec)
        if record.unknown_hooks:
            raise PluginError(
                f"unknown hook {', '.join(record.unknown_hooks)}; "
                f"the hub has {', '.join(hook_names())}"
            )
        others = [p for p in self.manager.get_plugins() if p is not plugin]
        for hook in record.hooks:
            caller = self.manager.subset_hook_caller(hook, remove_plugins=others)
            if hook == "hub_register_envs":
                caller(register=self._env_taker(record))
            elif hook.startswith("hub_register_"):
                kind = hook.removeprefix("hub_register_")
                argument = "cli" if kind == "commands" else "register"
                caller(**{argument: self._component_taker(kind, record)})

    def _env_taker(self, record: PluginRecord) -> Callable[[EnvCard], None]:
        first_party = record.distribution in FIRST_PARTY
        allowed = RESERVED_NAMESPACES if first_party else {record.name} - RESERVED_NAMESPACES

        def register(card: EnvCard) -> None:
            if card.namespace not in allowed:
                raise CardError(
                    f"{card.id}: entry point {record.name!r} of {record.distribution} may register "
                    f"under {sorted(allowed) or 'no namespace (this name is reserved)'}; "
                    "name the entry point after the namespace of its ids"
                )
            conflict = self.registry.add(card, record.name)
            if conflict:
                self.conflicts.append(conflict)
            else:
                record.envs.append(card.id)

        return register

    def _component_taker(self, kind: str, record: PluginRecord) -> Callable[..., None]:
        def register(name: str, target: str, summary: str = "") -> None:
            component = Component(kind, name, target, summary, record.name)
            first = self.components.setdefault((kind, name), component)
            if first is not component:
                self.conflicts.append(Conflict(f"{kind} {name}", first.plugin, record.name))

        return register

    def _roll_back(self, record: PluginRecord, error: BaseException) -> None:
        record.status = "failed"
        record.error = f"{type(error).__name__}: {error}"
        record.details = "".join(traceback.format_exception(error))
        record.envs.clear()
        if self.manager.has_plugin(record.name):
            self.manager.unregister(name=record.name)
        self.registry.discard(record.name)
        self.components = {k: c for k, c in self.components.items() if c.plugin != record.name}
        self.conflicts = [c for c in self.conflicts if c.refused != record.name]


def hook_names() -> list[str]:
    """Return the names of all hooks."""
    return sorted(name for name in vars(hookspecs) if name.startswith("hub_"))


def _names(variable: str) -> set[str]:
    return {name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()}


def _dist(point: EntryPoint) -> str:
    return _dist_version(point)[0]


def _dist_version(point: EntryPoint) -> tuple[str, str]:
    if point.dist is None:
        return "", ""
    return point.dist.name, point.dist.version


PLUGINS = Plugins()
