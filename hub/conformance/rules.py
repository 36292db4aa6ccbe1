"""The table of rules, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hub.conformance import (
    autoreset,
    infos,
    isolation,
    lifecycle,
    memory,
    replays,
    seeding,
    vector,
    vector_replays,
    walk,
)
from hub.conformance.session import Session


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: As reports name it.
        run: Looks for a breach: raises `Finding` or `Skipped`, or returns what it looked at.
        weight: Its share of the time.
    """

    name: str
    run: Callable[[Session], str]
    weight: float = 1.0

    @property
    def summary(self) -> str:
        """What the rule asks for, in one sentence."""
        return (self.run.__doc__ or "").partition("\n")[0]


TABLE: tuple[Rule, ...] = (
    Rule("make", lifecycle.make),
    Rule("spec", lifecycle.spec),
    Rule("spaces", lifecycle.spaces),
    Rule("run", walk.run, 6.0),
    Rule("observation", walk.observation, 0.0),
    Rule("reward", walk.reward, 0.0),
    Rule("flags", walk.flags, 0.0),
    Rule("info", walk.info, 0.0),
    Rule("episode_end", walk.episode_end, 0.0),
    Rule("determinism", replays.determinism),
    Rule("seed", seeding.seed),
    Rule("reset", replays.reset),
    Rule("history", replays.history),
    Rule("instances", replays.instances),
    Rule("process", replays.process, 2.0),
    Rule("global_rng", isolation.global_rng),
    Rule("returned_data", isolation.returned_data),
    Rule("after_end", lifecycle.after_end),
    Rule("pickle", lifecycle.copies),
    Rule("render", lifecycle.render),
    Rule("close", lifecycle.close),
    Rule("vector_info", infos.vector_info),
    Rule("memory", memory.memory, 3.0),
    Rule("vector_make", vector.vector_make),
    Rule("vector_spaces", vector.vector_spaces),
    Rule("vector_data", vector.vector_data),
    Rule("vector_seeds", vector_replays.vector_seeds),
    Rule("vector_lanes", vector_replays.vector_lanes),
    Rule("vector_determinism", vector_replays.vector_determinism),
    Rule("vector_threads", vector_replays.vector_threads),
    Rule("vector_returned_data", vector.vector_returned_data),
    Rule("vector_limit", vector.vector_limit),
    Rule("autoreset_next_step", autoreset.autoreset_next_step, 1.5),
    Rule("autoreset_same_step", autoreset.autoreset_same_step, 1.5),
    Rule("autoreset_disabled", autoreset.autoreset_disabled, 1.5),
    Rule("vector_render", vector.vector_render),
    Rule("vector_close", vector.vector_close),
    Rule("sync", autoreset.sync, 2.0),
    Rule("async", autoreset.async_, 3.0),
)

# When one of these fails, the rules whose names begin so cannot be run.
GATES: dict[str, tuple[str, ...]] = {
    "make": ("",),
    "run": ("",),
    "vector_make": ("vector_", "autoreset_"),
}
