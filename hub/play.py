"""One episode of any environment, played by a random, scripted, programmed or human agent."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from hub.card_fields import TARGET
from hub.errors import HubError, UnknownEnvironment
from hub.plugins import PLUGINS, load
from hub.registry import bare_id, full_id

Agent: TypeAlias = Callable[[Any, dict[str, Any]], Any]
"""`(observation, info) -> action`; raises `StopIteration` to end the episode."""


class AgentError(HubError, ValueError):
    """The agent is unknown, or cannot act in this environment."""


class PlayError(HubError, RuntimeError):
    """The environment failed while it was played; the message has its error."""


@dataclass(frozen=True)
class Step:
    """What one step gave, and `frame`: what `render` returned after it."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    frame: Any


def make(
    env_id: str, want: tuple[str, ...], options: Mapping[str, Any] | None = None
) -> gymnasium.Env[Any, Any]:
    """Make `env_id` with the first render mode of `want` that it has, or with none.

    Args:
        env_id: A hub id, with or without `hub:`, or any other Gymnasium id.
        want: Render modes, the dearest first.
        options: Options of the environment.

    Raises:
        UnknownEnvironment: Nobody registered it; the message names the nearest ids.
        MissingDependency: It needs something that is absent; the message has the fix.
    """
    module, _, _ = bare_id(env_id).rpartition(":")
    if module:
        _import(module, env_id)
    known = module or bare_id(env_id) in gymnasium.registry
    name = bare_id(env_id) if known else full_id(PLUGINS.registry.card(env_id).id)
    given = dict(options or {})
    env = gymnasium.make(name, **given)
    modes = env.metadata.get("render_modes") or ()
    mode = next((m for m in want if m in modes), None)
    if mode is None:
        return env
    env.close()
    return gymnasium.make(name, render_mode=mode, **given)


def _import(module: str, env_id: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise UnknownEnvironment(
            f"no environment {env_id}: {module} cannot be imported ({error}); install it, or mend "
            "the id"
        ) from error


def agent(name: str, env: gymnasium.Env[Any, Any], seed: int | None) -> Agent:
    """Return the agent called `name`.

    Args:
        name: `random`, `keyboard`, `scripted` (the agent that knows the answer, of agent tasks that
            have one), a `.json` file with a list of actions, or `module:function` with the
            signature of `Agent`.
        env: Where it acts.
        seed: Seeds the random agent.

    Raises:
        AgentError: There is no such agent, or it cannot act here.
    """
    if name == "random":
        env.action_space.seed(seed)
        return lambda observation, info: env.action_space.sample()
    if name == "keyboard":
        return _keyboard(env)
    if name == "scripted":
        return _scripted(env)
    if name.endswith(".json"):
        return _script(Path(name), env.action_space)
    if TARGET.fullmatch(name):
        loaded: Agent = load(name)
        return loaded
    raise AgentError(f"agent {name!r}: expected random, keyboard, scripted, FILE.json or "
                     "module:function")  # fmt: skip


def _script(path: Path, space: spaces.Space[Any]) -> Agent:
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AgentError(f"agent {path}: expected a JSON list of actions ({error})") from error
    if not isinstance(listed, list) or not listed:
        raise AgentError(f"agent {path}: expected a JSON list of actions, at least one")
    arrays = isinstance(space, spaces.Box | spaces.MultiDiscrete | spaces.MultiBinary)
    actions = iter([np.asarray(a, space.dtype) if arrays else a for a in listed])
    return lambda observation, info: next(actions)


def _scripted(env: gymnasium.Env[Any, Any]) -> Agent:
    from hub.dialogue import DialogueEnv, Probed, spoken

    inner = env.unwrapped
    if not isinstance(inner, DialogueEnv) or not isinstance(inner.domain, Probed):
        raise AgentError("agent scripted: expected an agent environment whose tasks have an oracle "
                         "(hub.dialogue.Probed)")  # fmt: skip
    domain, running = inner.domain, None

    def act(observation: Any, info: dict[str, Any]) -> str:
        nonlocal running
        if running is None:
            running = domain.oracle(inner.task)()
            return spoken(next(running))
        return spoken(running.send(observation))

    return act


def _keyboard(env: gymnasium.Env[Any, Any]) -> Agent:
    if not sys.stdin.isatty():
        raise AgentError("agent keyboard: standard input is no terminal")
    space = env.action_space
    if isinstance(space, spaces.Text):
        return lambda observation, info: _line()
    if not isinstance(space, spaces.Discrete) or space.n > 10:
        raise AgentError(f"agent keyboard: expected Text or at most ten Discrete actions: {space}")
    keys = {str(i): int(space.start) + i for i in range(int(space.n))}
    return lambda observation, info: keys[_key(keys)]


def _line() -> str:
    try:
        return input("> ")
    except EOFError:
        raise StopIteration from None


def _key(wanted: dict[str, int]) -> str:
    """Wait for one of the `wanted` keys; `q` and Ctrl-C end the episode."""
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSANOW)  # not FLUSH: keys typed ahead count
        while True:
            key = sys.stdin.read(1)
            if key in wanted:
                return key
            if key in ("q", ""):
                raise StopIteration
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _name(env: gymnasium.Env[Any, Any]) -> str:
    return env.spec.id if env.spec else type(env.unwrapped).__name__


@contextmanager
def _blamed(kind: type[HubError], what: str) -> Iterator[None]:
    """Raise anew, as `kind` and behind `what`, an error that says nothing of where it was made."""
    try:
        yield
    except (HubError, gymnasium.error.Error, StopIteration):
        raise
    # An agent or an environment may fail in any way.
    except Exception as error:
        raise kind(f"{what}: {type(error).__name__}: {error}") from error


def episode(
    env: gymnasium.Env[Any, Any], act: Agent, seed: int | None, limit: int
) -> Iterator[Step]:
    """Play until the episode ends, the agent stops or `limit` steps are done.

    The first item is the reset, with reward 0 and neither flag.

    Raises:
        AgentError: The agent failed.
        PlayError: The environment failed.
    """
    with _blamed(PlayError, f"{_name(env)} failed in reset"):
        observation, info = env.reset(seed=seed)
    render = env.render if env.render_mode is not None else lambda: None
    with _blamed(PlayError, f"{_name(env)} failed in render"):
        frame = render()
    yield Step(observation, 0.0, False, False, frame)
    for count in range(1, limit + 1):
        try:
            with _blamed(AgentError, f"the agent failed before step {count}"):
                action = act(observation, info)
        except StopIteration:
            return
        with _blamed(PlayError, f"{_name(env)} failed in step {count}, action {action!r}"):
            observation, reward, terminated, truncated, info = env.step(action)
            frame = render()
        yield Step(observation, float(reward), bool(terminated), bool(truncated), frame)
        if terminated or truncated:
            return
