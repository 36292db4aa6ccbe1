"""What all rules of one run share: the environment's spec, the time left, the reference plays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

import hub
from hub.conformance import specs
from hub.conformance.outcome import Skipped, blame
from hub.conformance.play import Frame, Probe, frames
from hub.conformance.pulse import Pulse

# Two seeds far apart, so that `seed + lane` of one never meets the other.
SEED, OTHER_SEED = 4021, 91_733
# One replay is bounded in steps, and in the memory that its copies may take.
MAX_STEPS, MAX_BYTES = 12_000, 64 * 2**20
# Share of the whole time that one replay may take; about a dozen rules replay.
REPLAY_SHARE = 0.02
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
        self._cache: dict[Any, Any] = {}

    def begin(self, weight: float, weight_left: float) -> None:
        """Give the next rule its share of the time that is left."""
        left = max(0.0, self.deadline - time.monotonic())
        self.slice_end = time.monotonic() + left * weight / max(weight, weight_left)

    def left(self) -> float:
        """Return the seconds left of the current rule's share."""
        return self.slice_end - time.monotonic()

    def require_time(self) -> None:
        """Raise `Skipped` when the whole run is out of time."""
        if time.monotonic() > self.deadline:
            raise Skipped(f"out of time after {self.seconds:.0f} s: give it more (--seconds)")

    @contextmanager
    def open(self, **kwargs: Any) -> Iterator[Probe]:
        """Make the environment, hand out its probe, and close it."""
        self.require_time()
        self.pulse.enter()
        with blame("gymnasium.make"):
            # The passive checker would raise first and hide at which step and field.
            env = gymnasium.make(self.spec, disable_env_checker=True, **kwargs)
        self.pulse.leave()
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
        """Steps of one replay: as many as its share of the time and its memory allow."""
        by_time = self.seconds * REPLAY_SHARE / self.step_seconds
        return max(5, int(min(by_time, MAX_BYTES / self.step_bytes, MAX_STEPS)))

    def play(self, probe: Probe, seed: int) -> list[Frame]:
        """Play `steps` steps from `seed`."""
        result = []
        for frame in frames(probe, seed, self.steps):
            result.append(frame)
            self.require_time()
        return result

    def reference(self, seed: int) -> list[Frame]:
        """Return the play of `seed` by a fresh instance, the same list at every call."""

        def compute() -> list[Frame]:
            with self.open() as probe:
                return self.play(probe, seed)

        frames_: list[Frame] = self.once(("reference", seed), compute)
        return frames_

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
        return {"id": self.spec.id, "spec": packed, "seconds": self.seconds, "replay": replay}

    def require_determinism(self) -> None:
        """Raise `Skipped` when the spec says that a seed does not fix the episode."""
        if self.spec.nondeterministic:
            raise Skipped("the spec says nondeterministic=True")
