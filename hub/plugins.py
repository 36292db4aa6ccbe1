"""Guarded plugin loading: entry points of group `hub`, gymhub's own first.

A plugin is a module with hook implementations (`hub.hookspecs`). Whatever goes wrong in one, its
registrations are rolled back whole, the error is kept for `hub plugins` and `hub doctor`, and
every other plugin works on. Environment variables, each a comma-separated list of entry-point
names: `HUB_PLUGINS` loads only these (none when it is set and empty), `HUB_BLOCK_PLUGINS` loads
all but these; a name that is not installed is warned of. `HUB_STRICT_PLUGINS=1` raises the first
error instead of recording it.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from hub import hookspecs, settings
from hub.card_fields import TARGET
from hub.catalogue import catalogue_cards
from hub.errors import CardError, HubError, PluginError, TargetError
from hub.registry import Conflict, EnvCard, Registry, Requirement

GROUP = "hub"
CATALOGUE = "gymhub catalogue"
UNBLOCK = "change HUB_PLUGINS or HUB_BLOCK_PLUGINS, or unset them"
RESERVED_NAMESPACES = frozenset({"native", "jax", "agent"})
FIRST_PARTY = frozenset({"gymhub", "gymhub-pong", "gymhub-sandbox-init"})


def load(target: str) -> Any:
    """Import and return what `target` (`"module:attribute"`) names.

    Raises:
        TargetError: The module cannot be imported, whatever it raises, or has no such attribute.
        HubError: The module raised one itself, such as `MissingDependency` with its fix.
    """
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except HubError:
        raise
    # A module may fail in any way; the caller's own code is not run here.
    except (Exception, SystemExit) as error:
        raise TargetError(f"{target} cannot be loaded: {_one_line(error)}") from error


@dataclass(frozen=True)
class Component:
    """Something named that a plugin registered (a benchmark suite, a command, a trainer...).

    Attributes:
        kind: The registration hook's tail: `benchmarks`, `commands`...
        name: Unique within its kind.
        target: `module:attribute`, imported on use by `load`.
        summary: One line for listings.
        plugin: The label of the plugin that registered it.
    """

    kind: str
    name: str
    target: str
    summary: str
    plugin: str

    def __post_init__(self) -> None:
        if not TARGET.fullmatch(self.target):
            raise CardError(
                f"{self.kind} {self.name!r}: target {self.target!r}: expected 'module:name'"
            )
        if self.kind == "tools" and not self.name.startswith(("tool:", "parser:")):
            raise CardError(f"tools {self.name!r}: expected 'tool:NAME' or 'parser:NAME'")

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

    @property
    def label(self) -> str:
        """`name (distribution)`: unique, since two distributions may choose one name."""
        return f"{self.name} ({self.distribution})" if self.distribution else self.name


class Plugins:
    """The plugin manager and everything that plugins registered."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager(hookspecs.PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self.registry = Registry()
        self.components: dict[tuple[str, str], Component] = {}
        self.records: list[PluginRecord] = []
        self.conflicts: list[Conflict] = []
        self.unknown_names: list[str] = []
        self._strict = False

    def kind(self, kind: str) -> dict[str, Component]:
        """Return the components of one kind (`"benchmarks"`), by name."""
        return {name: c for (k, name), c in sorted(self.components.items()) if k == kind}

    def load(self, points: Iterable[EntryPoint] | None = None) -> None:
        """Load the plugins of `points` (default: every installed entry point of group `hub`).

        An entry point that was seen before is left alone, so a second call adds only new ones.

        Raises:
            PluginError: One failed, under `HUB_STRICT_PLUGINS=1`.
            SettingError: `HUB_STRICT_PLUGINS` is neither 1 nor 0.
        """
        self._strict = settings.switch("HUB_STRICT_PLUGINS")
        found = list(entry_points(group=GROUP) if points is None else points)
        seen = {record.label for record in self.records}
        for point in sorted(found, key=lambda p: (not _first_party(p), p.name)):
            record = PluginRecord(point.name, *_dist_version(point))
            if record.label in seen:
                continue
            self.records.append(record)
            if settings.plugin_kept_out(point.name):
                record.status = "blocked"
                self.registry.blocked.append(record.name)
            else:
                self._load_point(point, record)
        self._note_unknown()
        self._add_catalogue()

    def _add_catalogue(self) -> None:
        """Register what the catalogue holds of distributions that are absent or kept out."""
        blocked = {r.distribution: r.name for r in self.records if r.status == "blocked"}
        for card in catalogue_cards():
            keepers = [blocked[need.name] for need in card.requires if need.name in blocked]
            if keepers:
                needs = tuple(Requirement("plugin", name, UNBLOCK) for name in keepers)
                # Nobody asks for its proof either: `hub verify --all` judges what is let in.
                card = replace(card, requires=(*card.requires, *needs), fidelity="")
            # An installed distribution speaks for itself, also by failing.
            if card.id not in self.registry and card.missing():
                self.registry.add(card, CATALOGUE)

    def _note_unknown(self) -> None:
        """Keep, and warn of, the names in the variables that no installed plugin has."""
        variables = ("HUB_PLUGINS", "HUB_BLOCK_PLUGINS")
        asked = {variable: settings.names(variable) or set() for variable in variables}
        installed = {record.name for record in self.records}
        self.unknown_names = sorted(set().union(*asked.values()) - installed)
        for variable, names in asked.items():
            if unknown := sorted(names - installed):
                warnings.warn(
                    f"{variable} names {', '.join(map(repr, unknown))}, which is not installed: "
                    f"expected names of plugins, of {', '.join(sorted(installed)) or 'none here'}",
                    stacklevel=3,
                )

    def _load_point(self, point: EntryPoint, record: PluginRecord) -> None:
        start = time.perf_counter()
        try:
            # Standard output belongs to the commands' results, which may be JSON.
            with redirect_stdout(sys.stderr):
                self.add(_plugin(point), record)
        # A plugin may fail in any way, and none may take the hub down (bugs: llm#1280).
        except (Exception, SystemExit) as error:
            self._roll_back(record, error)
            if self._strict:
                raise PluginError(f"plugin {record.label}: {record.error}") from error
        finally:
            record.seconds = time.perf_counter() - start

    def add(self, plugin: object, record: PluginRecord) -> None:
        """Register one plugin object and run its registration hooks."""
        self.manager.register(plugin, name=record.label)
        callers = self.manager.get_hookcallers(plugin) or []
        record.hooks = sorted(caller.name for caller in callers if caller.spec)
        record.unknown_hooks = sorted(caller.name for caller in callers if not caller.spec)
        _refuse_silent_mistakes(plugin, record)
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
        first_party = _normal(record.distribution) in FIRST_PARTY
        allowed = RESERVED_NAMESPACES if first_party else {record.name} - RESERVED_NAMESPACES

        def register(card: EnvCard) -> None:
            if not isinstance(card, EnvCard):
                raise CardError(f"register({card!r}): expected a hub.EnvCard")
            if card.namespace not in allowed:
                raise CardError(
                    f"{card.id}: plugin {record.label} may register under "
                    f"{', '.join(sorted(allowed)) or 'no namespace (its name is reserved)'}; "
                    "name the entry point after the namespace of its ids"
                )
            conflict = self.registry.add(card, record.label)
            if conflict is None:
                record.envs.append(card.id)
            else:
                self._note(conflict)

        return register

    def _component_taker(self, kind: str, record: PluginRecord) -> Callable[..., None]:
        def register(name: str, target: str, summary: str = "") -> None:
            component = Component(kind, name, target, summary, record.label)
            first = self.components.setdefault((kind, name), component)
            if first is not component:
                self._note(Conflict(f"{kind} {name}", first.plugin, record.label))

        return register

    def _note(self, conflict: Conflict) -> None:
        if conflict.kept == conflict.refused:
            raise CardError(f"{conflict.name}: {conflict.kept} registers it twice")
        self.conflicts.append(conflict)

    def _roll_back(self, record: PluginRecord, error: BaseException) -> None:
        record.status = "failed"
        record.error = _one_line(error)
        record.details = "".join(traceback.format_exception(error))
        record.envs.clear()
        if self.manager.has_plugin(record.label):
            self.manager.unregister(name=record.label)
        self.registry.discard(record.label)
        self.registry.failed[record.name] = f"plugin {record.label} failed: {record.error}"
        self.components = {k: c for k, c in self.components.items() if c.plugin != record.label}
        self.conflicts = [c for c in self.conflicts if c.refused != record.label]


def hook_names() -> list[str]:
    """Return the names of all hooks."""
    return sorted(name for name in vars(hookspecs) if name.startswith("hub_"))


def _plugin(point: EntryPoint) -> Any:
    module = sys.modules.get(point.module)
    if module is None or not getattr(module.__spec__, "_initializing", False):
        return point.load()
    import importlib.util  # here, since few need it and `import hub` must stay light

    # The plugin's module is itself being imported and its `import hub` brought us here: its hooks
    # are not defined yet. Run a second copy, so that no registration is lost to import order.
    spec = importlib.util.find_spec(point.module)
    if spec is None or spec.loader is None:
        raise PluginError(f"{point.module} has no loader; import hub before it")
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return functools.reduce(getattr, filter(None, (point.attr or "").split(".")), copy)


def _refuse_silent_mistakes(plugin: object, record: PluginRecord) -> None:
    """Raise for what pluggy lets pass in silence: an unknown hook, or one without its mark."""
    if record.unknown_hooks:
        raise PluginError(
            f"unknown hook {', '.join(record.unknown_hooks)}; the hub has {', '.join(hook_names())}"
        )
    unmarked = [n for n in hook_names() if hasattr(plugin, n) and n not in record.hooks]
    if unmarked:
        raise PluginError(f"{', '.join(unmarked)} lacks the mark @hub.hookimpl")
    if not record.hooks:
        raise PluginError(f"it implements no hook; the hub has {', '.join(hook_names())}")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _first_party(point: EntryPoint) -> bool:
    return _normal(_dist_version(point)[0]) in FIRST_PARTY


def _dist_version(point: EntryPoint) -> tuple[str, str]:
    if point.dist is None:
        return "", ""
    return point.dist.name, point.dist.version


PLUGINS = Plugins()
