"""What the suite `train` times: one iteration of PPO in one environment, and its parts."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import gymnasium

from hub_ppo import network
from hub_ppo.settings import Settings
from hub_ppo.spaces import Interface

PARTS = ("environment", "transfer", "model")
# PufferLib's own environment, which C Pong's package registers with Gymnasium alone.
PUFFER = "hub_pong.puffer:PufferLibPong-v0"


class Member(Protocol):
    """One environment under training.

    Attributes:
        env_id: Its id.
        count: Weights that are trained.
    """

    env_id: str
    count: int

    def iterate(self) -> float:
        """Run one iteration to its end and return its environment steps."""

    def parts(self, seconds: float) -> dict[str, float]:
        """Return the seconds of the last iteration by part; it took `seconds` in all."""

    def close(self) -> None:
        """Free it."""

    def peak_bytes(self) -> int:
        """Return the most device memory that was held, 0 on a CPU."""


@dataclass
class Timed:
    """What the rounds of a member gave."""

    rates: list[float] = field(default_factory=list)  # steps/s
    cpu_rates: list[float] = field(default_factory=list)  # steps/cpu-s
    shares: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})

    def add(self, member: Member) -> None:
        """Time one iteration and its parts."""
        begin, cpu = time.perf_counter(), time.process_time()
        steps = member.iterate()
        seconds = time.perf_counter() - begin
        self.rates.append(steps / seconds)
        self.cpu_rates.append(steps / max(time.process_time() - cpu, 1e-6))
        parts = member.parts(seconds)
        whole = sum(parts.values())
        for part in PARTS:
            self.shares[part].append(100 * parts[part] / whole)


class TorchMember:
    """An environment under `ppo`.

    Args:
        env_id: A registered id.
        settings: The hyper-parameters.
        learner: Of another member with the same spaces, to hold its weights only once.
    """

    def __init__(self, env_id: str, settings: Settings, learner: Any = None) -> None:
        import torch

        from hub_ppo.clock import Clock
        from hub_ppo.ppo_torch import Collector, Learner

        self.env_id = env_id
        self._env: Any = gymnasium.make_vec(env_id, settings.lanes, **settings.env_options)
        spaces = self._env.single_observation_space, self._env.single_action_space
        self.learner = learner or Learner(Interface.of(*spaces), settings, 0)
        self.count = network.parameters(self.learner.weights)
        self._cuda = torch.cuda if self.learner.device.type == "cuda" else None
        clock = Clock(self._cuda.synchronize) if self._cuda else Clock()
        self._collector = Collector(self._env, self.learner, 0, clock)

    def iterate(self) -> float:
        """Run one iteration."""
        clock = self._collector.clock
        clock.seconds = dict.fromkeys(PARTS, 0.0)
        batch = self._collector.collect()
        self.learner.update(batch)
        clock.lap("model")
        return float(batch["valid"].sum())

    def parts(self, seconds: float) -> dict[str, float]:
        """Return what the clock counted."""
        return self._collector.clock.seconds

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def peak_bytes(self) -> int:
        """Return the most memory that torch held on the GPU."""
        return int(self._cuda.max_memory_allocated()) if self._cuda else 0


class JaxMember:
    """An environment under `ppo-jax`.

    Inside one compiled call nothing can be timed: the environment's part is a scan of as many
    steps under a policy without a network, timed beside it; the rest is the model's. Nothing is
    transferred.
    """

    def __init__(self, env_id: str, settings: Settings) -> None:
        from hub_ppo.ppo_jax import make_iteration

        self.env_id = env_id
        self._iteration = make_iteration(env_id, settings)
        self._learner = self._iteration.begin(0)
        self.count = network.parameters(self._learner.weights)
        self._alone = _alone(self._iteration)
        self._alone()  # compiles

    def iterate(self) -> float:
        """Run one iteration."""
        self._learner, told = self._iteration(self._learner)
        told.total.block_until_ready()
        return float(self._iteration.settings.batch)

    def parts(self, seconds: float) -> dict[str, float]:
        """Time the environment alone."""
        alone = min(self._alone(), seconds)
        return {"environment": alone, "transfer": 0.0, "model": seconds - alone}

    def close(self) -> None:
        """Let go of the weights."""
        del self._learner, self._alone

    def peak_bytes(self) -> int:
        """Return the most memory that JAX held on the GPU."""
        import jax

        figures = jax.devices()[0].memory_stats() or {}
        return int(figures.get("peak_bytes_in_use", 0))


def _alone(iteration: Any) -> Callable[[], float]:
    """Return what times one rollout of `iteration`'s length without a network."""
    import jax
    import jax.numpy as jnp

    from hub.functional import begin, jit, lane_keys, precision, rollout

    env, settings, interface = iteration.env, iteration.settings, iteration.interface

    def act(weights: Any, key: Any, memory: Any, observation: Any, info: Any, started: Any) -> Any:
        if interface.continuous:
            low, high = (bound.reshape(interface.shape) for bound in interface.bounds())
            shape = (settings.lanes, *interface.shape)
            return memory, jax.random.uniform(key, shape, jnp.float32, low, high), None
        drawn = jax.random.randint(key, (settings.lanes,), 0, interface.outputs)
        return memory, drawn + interface.start, None

    with precision(env):
        keys = lane_keys(range(settings.lanes))
        held = [begin(env, keys, None, jax.random.key(0))]
    run = jit(env, functools.partial(rollout, env, act, steps=settings.steps))

    def once() -> float:
        start = time.perf_counter()
        with precision(env):
            held[0], data = run(held[0], None)
        data.reward.block_until_ready()
        return time.perf_counter() - start

    return once
