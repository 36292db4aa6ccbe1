"""Every hook of the hub; a hook's docstring is its contract.

All registration hooks have one shape: the hub hands in a callback and the plugin calls it with
strings and JSON values only, so that registering imports nothing heavy. Code is named as
`"module:attribute"` and loaded on first use. What one plugin registers is taken whole or not at
all: an exception in any of its hooks rolls back everything that it registered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pluggy

if TYPE_CHECKING:
    from hub.registry import EnvCard

PROJECT = "hub"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class RegisterEnv(Protocol):
    """Takes one card; see `hub_register_envs`."""

    def __call__(self, card: EnvCard) -> None:
        """Add `card` to the registry."""


class RegisterComponent(Protocol):
    """Takes one named component; see the hooks that hand it in."""

    def __call__(self, name: str, target: str, summary: str = "") -> None:
        """Add the component `name`, found at `target` (`"module:attribute"`)."""


# ---- Environments -----------------------------------------------------------------------------


@hookspec
def hub_register_envs(register: RegisterEnv) -> None:
    """Register environments.

    Called once per plugin, when `hub` is imported. Call `register(card)` for each `EnvCard`.
    The card's namespace must be the name of the plugin's entry point (first-party distributions
    share `native`, `jax` and `agent`). When two plugins claim one id, the first keeps it and
    `hub plugins` names both.
    """


# ---- Sandboxes --------------------------------------------------------------------------------


@hookspec
def hub_register_sandboxes(register: RegisterComponent) -> None:
    """Register sandbox providers.

    Called once per plugin, when `hub` is imported. `target` is a callable `() -> Provider`
    (`hub.sandbox.Provider`); `hub.sandbox.create(provider=NAME)` then finds it, and
    `hub.sandbox.conformance` is the suite that it must pass. The name `init` is reserved for the
    helper that runs as PID 1 in every sandbox: its target is a callable `() -> pathlib.Path`.
    """


# ---- Agent tasks ------------------------------------------------------------------------------


@hookspec
def hub_register_tools(register: RegisterComponent) -> None:
    """Register tools that a model may call, and the parsers that find calls in its text.

    Called once per plugin, when `hub` is imported. The name says which of the two: `tool:bash`,
    `parser:hermes`. A tool's target is a callable `() -> hub.dialogue.Tool`, called anew for each
    environment, or one that takes a text, for tools with an argument; a parser's is a callable
    `() -> hub.dialogue.Parser`. Environments name them without the prefix: `parser="hermes"`,
    `tools=["bash", "search:library.jsonl"]`.
    """


@hookspec
def hub_register_tasks(register: RegisterComponent) -> None:
    """Register task sources: datasets, and generators of tasks.

    Called once per plugin, when `hub` is imported. `target` is a callable
    `(split: str, seed: int) -> hub.dialogue.TaskSource`, deterministic in both; agent environments
    then take `tasks=NAME` where they also take the path of a file.
    """


# ---- Trainers ----------------------------------------------------------------------------------


@hookspec
def hub_register_trainers(register: RegisterComponent) -> None:
    """Register trainers for `hub train` and for the transfer level (L4) of `hub verify`.

    Called once per plugin, when `hub` is imported. `target` is an object with the methods of
    `hub.fidelity.Trainer` (`train` and `load_policy`); it is imported only when it is used, so
    that registering loads no framework.
    """


@hookspec
def hub_register_recipes(register: RegisterComponent) -> None:
    """Register recipes for `hub train NAME`: an environment, a trainer, a budget and options.

    Called once per plugin, when `hub` is imported. `target` is a `hub.fidelity.Recipe`, imported
    when it is used. A name with a slash or a colon would look like an id and is never found.
    """


# ---- Commands and benchmarks -------------------------------------------------------------------


@hookspec
def hub_register_benchmarks(register: RegisterComponent) -> None:
    """Register benchmark suites for `hub bench NAME`.

    Called once per plugin, when `hub` is imported. Call `register(name, target, summary)` for each
    suite; `hub bench --help` lists names and summaries. `target` is a function
    `(plan: hub.bench.Plan) -> Iterable[hub.bench.Row]`, imported when the suite is run: it measures
    what the plan asks for, calls `plan.progress(message, done, total)` as it goes on and yields
    each row when it is known, with `suite=name`. An exception becomes a row with `error`; rows
    already yielded are kept. Code that may crash, or whose libraries would disturb other figures,
    runs in a process of its own through `hub.bench.isolated`.
    """


@hookspec
def hub_register_commands(cli: RegisterComponent) -> None:
    """Register subcommands of `hub`.

    Called once per plugin, when `hub` is imported. `target` is a `click.Command`; it is imported
    only when the user runs it, so `summary` is what `hub --help` shows.
    """
