"""Running the suite: `check(env_id)` starts a child, watches it, and makes the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import hub
from hub.conformance import specs
from hub.conformance.process import Child, Hung, TimedOut
from hub.conformance.pulse import Beat
from hub.conformance.report import OUT_OF_TIME, Check, Report
from hub.conformance.rules import GATES, TABLE
from hub.entry import require
from hub.errors import HubError, MissingDependency, UnknownEnvironment, UnknownOption
from hub.registry import full_id

DEFAULT_SECONDS = 45.0
# One call into an environment may take this share of what is left of the time, and at least these
# seconds (it may compile something), before it counts as a hang; what it waited for a core is not
# counted.
HANG_SHARE, LEAST_HANG = 0.5, 3.0
# Another child needs this long to begin with what is left.
LEAST_SECONDS = 2.0
# A child that dies or hangs is followed by another for the rules that are left, this many times.
MAX_DEATHS = 4

Listener = Callable[[str, Check | None], None]


def check(
    env_id: str,
    seconds: float = DEFAULT_SECONDS,
    strict: bool | None = None,
    rules: Sequence[str] | None = None,
    listener: Listener | None = None,
) -> Report:
    """Run the conformance suite over one environment, in processes of its own.

    Args:
        env_id: Any id that `gymnasium.make` takes (`CartPole-v1`, `module:Name-v0`), or an id of
            the hub with or without `hub:`.
        seconds: Time for everything; an environment that does not return is ended by then.
        strict: Whether the rules that the hub adds to Gymnasium's apply (the default: to ids of
            the hub only). They are: rewards and flags are Python's own `float` and `bool`; the
            caller may overwrite an observation; a step after the end raises or keeps its flag;
            lane `i` of `reset(seed=s)` is the single environment's `reset(seed=s + i)`; all three
            autoreset modes are there.
        rules: Names of the rules to run; None runs all.
        listener: Called with `(name, None)` when a rule begins and `(name, check)` when it ends.

    Returns:
        One outcome per rule, in the order of `hub.conformance.RULES`.

    Raises:
        UnknownEnvironment: Nobody registered the id, or its module cannot be imported.
        MissingDependency: Something that it needs is absent, by its card or by its own error.
        UnknownOption: There is no such rule.
    """
    registry = hub.PLUGINS.registry
    is_hub = env_id in registry
    if is_hub or registry.claims(env_id):
        require(registry.card(env_id))
    name = full_id(env_id) if is_hub else env_id
    wanted = _wanted(rules)
    run = _Run(name, seconds, is_hub if strict is None else strict, wanted, listener)
    while run.left and run.deaths < MAX_DEATHS:
        run.once()
    return Report.of(name, tuple(run.finish()))


def _wanted(rules: Sequence[str] | None) -> list[str]:
    """Return the names of the rules to run, in their order."""
    known = [rule.name for rule in TABLE]
    unknown = sorted(set(rules or ()) - set(known))
    if unknown:
        raise UnknownOption(f"no rule {', '.join(unknown)}; the rules: {', '.join(known)}")
    return [rule for rule in known if rules is None or rule in rules]


class _Run:
    """The state of one report in the making."""

    def __init__(
        self,
        env_id: str,
        seconds: float,
        strict: bool,
        wanted: list[str],
        listener: Listener | None,
    ) -> None:
        self._id, self._seconds, self._strict, self._wanted = env_id, seconds, strict, wanted
        self._tell = listener or (lambda name, check: None)
        self._deadline = time.monotonic() + seconds
        self._checks: dict[str, Check] = {}
        self.deaths = 0

    @property
    def left(self) -> list[str]:
        """Names of the rules without an outcome."""
        return [name for name in self._wanted if name not in self._checks]

    def once(self) -> None:
        """Let one child work on what is left."""
        left = self._deadline - time.monotonic()
        if left < LEAST_SECONDS and self.deaths:
            self._out_of_time("")
            return
        # The watcher keeps a little, to end a child that does not stop by itself.
        seconds = max(0.5, left * 0.9)
        request = {
            "id": self._id,
            "spec": specs.pack_local(self._id),
            "strict": self._strict,
            "seconds": seconds,
            "rules": self.left,
        }
        running = ""
        with Child(request, hash_seed=1) as child:
            try:
                for event in child.events(self._deadline, max(LEAST_HANG, left * HANG_SHARE)):
                    running = self._take(event, running)
            except Hung:
                self._hung(running, child)
                return
            except TimedOut:
                self._out_of_time(self._in_progress(child))
                return
            if self.left:
                self._died(running, child)

    def _take(self, event: dict[str, Any], running: str) -> str:
        if "unknown" in event:
            raise UnknownEnvironment(f"{self._id}: {event['unknown']}")
        if "missing" in event:
            raise MissingDependency(f"{self._id}: {event['missing']}")
        if "begin" in event:
            self._tell(event["begin"], None)
            return str(event["begin"])
        self._put(Check(**event["check"]))
        return running

    def _put(self, outcome: Check) -> None:
        self._checks[outcome.name] = outcome
        self._tell(outcome.name, outcome)

    def _out_of_time(self, where: str) -> None:
        self._skip_rest(
            f"{OUT_OF_TIME} after {self._seconds:.0f} s{where}: give it more (--seconds)"
        )

    def _in_progress(self, child: Child) -> str:
        beat = child.beat()
        waited = time.monotonic() - beat.started
        long = beat.started and waited > LEAST_HANG
        return f", {waited:.0f} s of them in one {beat.call}()" if long else ""

    def _hung(self, running: str, child: Child) -> None:
        beat = child.beat()
        waited = time.monotonic() - beat.started
        self._ended(running, f"{beat.call}() did not return within {waited:.0f} s", beat)

    def _died(self, running: str, child: Child) -> None:
        how, beat = child.death(), child.beat()
        if not running:
            raise HubError(f"the process that checks {self._id} did not start: {how}")
        where = f" in {beat.call}()" if beat.started else ""
        self._ended(running, f"the environment ended its process{where}: {how}", beat)

    def _ended(self, running: str, text: str, beat: Beat) -> None:
        """Note that `running` ended the child, and which rules cannot be run for it."""
        self.deaths += 1
        self._put(Check(running, "fail", text, beat.step, None, beat.seed))
        for name in self.left:
            if name.startswith(GATES.get(running, ())):
                self._put(Check(name, "skip", f"not run, because {running} failed"))

    def _skip_rest(self, reason: str) -> None:
        for name in self.left:
            self._put(Check(name, "skip", reason))

    def finish(self) -> list[Check]:
        """Return the outcomes in the order of the rules."""
        self._skip_rest(f"not run, because the process ended or hung {self.deaths} times")
        return [self._checks[name] for name in self._wanted]
