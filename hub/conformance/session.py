"""What all rules of one run share: the environment's spec, the time left, the reference plays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

import hub
from hub.conformance import specs
from hub.conformance.outcome import Skipped
from hub.conformance.play import Frame, Probe, blame_making, frames
from hub.conformance.pulse import Pulse
from hub.conformance.report import OUT_OF_TIME

# Two seeds far apart, so that `seed + lane` of one never meets the other.
SEED, OTHER_SEED = 4021, 91_733
# One replay is bounded in steps, and in the memory that its copies may take.
MIN_STEPS, MAX_STEPS, MAX_BYTES = 5, 12_000, 64 * 2**20
# Share of the whole time that one replay may take; about a dozen rules replay.
REPLAY_SHARE = 0.02
# A play that begins late in its rule's time may still take this share.
LEAST_SHARE = 3 * REPLAY_SHARE
# A second process may take this share, most of which is imports.
PROCESS_SHARE = 0.25
JAX_TOLERANCE = 1e-3


class Session:
    """One run of the suite over one environment.

    Args:
        spec: Gymnasium's spec of the environment.
        strict: Whether the hub's own rules apply, beyond Gymnasium's.
        seconds: Time for the rules, from now on.
        pulse: Where calls into the environment are announced.

    Attributes:
        step_seconds: Measured seconds of one step with its checks, once the walk has run.
        step_bytes: Measured size of one step's data, likewise.
    """

    def __init__(self, spec: EnvSpec, strict: bool, seconds: float, pulse: Pulse) -> None:
        self.spec, self.strict, self.pulse = spec, strict, pulse
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds
        self.slice_end = self.deadline
        self.step_seconds, self.step_bytes = 1e-3, 1000.0
        self._steps: int | None = None
        self._cache: dict[Any, Any] = {}
        self._stack = ExitStack()

    def begin(self, weight: float, weight_left: float) -> None:
        """Give the next rule its share of the time that is left."""
        left = max(0.0, self.deadline - time.monotonic())
        self.slice_end = time.monotonic() + left * weight / max(weight, weight_left)

    def left(self) -> float:
        """Return the seconds left of the current rule's share."""
        return self.slice_end - time.monotonic()

    def grant(self) -> None:
        """Let the play that begins now have its least time, whatever making it has taken."""
        self.slice_end = max(self.slice_end, time.monotonic() + self.seconds * LEAST_SHARE)

    def start_deadline(self) -> float:
        """Return until when to wait for another process, which has to import everything first."""
        wait = max(self.left(), self.seconds * PROCESS_SHARE)
        return min(self.deadline, time.monotonic() + wait)

    def require_time(self) -> None:
        """Raise `Skipped` when the whole run is out of time."""
        if time.monotonic() > self.deadline:
            raise Skipped(f"{OUT_OF_TIME} after {self.seconds:.0f} s: give it more (--seconds)")

    @contextmanager
    def open(self, **kwargs: Any) -> Iterator[Probe]:
        """Make the environment, hand out its probe, and close it."""
        self.require_time()
        with blame_making("gymnasium.make", self.pulse):
            # The passive checker would raise first and hide at which step and field.
            env = gymnasium.make(self.spec, disable_env_checker=True, **kwargs)
        self.grant()
        probe = Probe(env, self.pulse)
        try:
            yield probe
        finally:
            probe.close()

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Return `compute()`, computed at the first call with this key."""
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]

    @property
    def steps(self) -> int:
        """Steps of one replay: those of the reference, which its share of the time bounds."""
        if self._steps is None:
            self.reference(SEED)
        assert self._steps is not None
        return self._steps

    def play(self, probe: Probe, seed: int) -> list[Frame]:
        """Play `steps` steps from `seed`, or fewer when the rule's time is over."""
        played: list[Frame] = []
        self.grant()
        for frame in frames(probe, seed, self.steps):
            played.append(frame)
            self.require_time()
            if len(played) == 2:
                self.grant()  # the first step may have compiled something
            if len(played) > MIN_STEPS and self.left() < 0:
                break
        return played

    def reference(self, seed: int) -> list[Frame]:
        """Return the play of `seed` by a fresh instance, the same list at every call."""
        played: list[Frame] = self.once(("reference", seed), lambda: self._first_play(seed))
        return played

    def _first_play(self, seed: int) -> list[Frame]:
        most = MAX_STEPS if self._steps is None else self._steps
        most = max(MIN_STEPS, min(most, int(MAX_BYTES / self.step_bytes)))
        played: list[Frame] = []
        with self.open() as probe:
            until = time.monotonic() + self.seconds * REPLAY_SHARE
            for frame in frames(probe, seed, most):
                played.append(frame)
                self.require_time()
                if len(played) > MIN_STEPS and time.monotonic() > until:
                    break
        if self._steps is None:
            self._steps = sum(frame.step > 0 for frame in played)
        return played

    def singles(self, count: int, limit: int | None) -> list[Probe]:
        """Return `count` single environments, kept for the whole run, as a vector's reference.

        Args:
            count: How many.
            limit: Their `max_episode_steps`, or None for the spec's own.
        """
        kwargs = {} if limit is None else {"max_episode_steps": limit}
        key = ("singles", limit)
        kept: list[Probe] = self.once(key, list)
        while len(kept) < count:
            kept.append(self._stack.enter_context(self.open(**kwargs)))
        return kept[:count]

    def close(self) -> None:
        """Close what was kept."""
        self._stack.close()

    @property
    def tolerance(self) -> float:
        """Tolerance between a lane and the single environment.

        None, but for JAX: its compiler may order the sums of another batch size differently.
        """
        registry = hub.PLUGINS.registry
        jax = self.spec.id in registry and registry.card(self.spec.id).backend == "jax"
        return JAX_TOLERANCE if jax else 0.0

    def replay_request(self, seed: int) -> dict[str, Any]:
        """Return what asks a child process for the hashes of the play of `seed`."""
        replay = [seed, self.steps]
        packed = specs.pack(self.spec)
        return {
            "id": self.spec.id,
            "spec": packed,
            "seconds": LEAST_SHARE * self.seconds,
            "replay": replay,
        }

    def require_determinism(self) -> None:
        """Raise `Skipped` when the spec says that a seed does not fix the episode."""
        if self.spec.nondeterministic:
            raise Skipped("the spec says nondeterministic=True")
