"""Single environments that do not play the same again."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any, ClassVar

import gymnasium
import numpy as np

from tests.hub.conformance.mutants.good import Good, Result


class NondeterministicFromStepTwo(Good):
    """With a reused buffer: a check that compares what was returned compares it with itself."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.buffer = np.zeros(3, np.float32)

    def observe(self) -> Any:
        self.buffer[:] = super().observe()
        if self.t >= 2:
            self.buffer[0] = int.from_bytes(os.urandom(2)) / 2**16
        return self.buffer


class LeaksAcrossEpisodes(Good):
    episodes = 0

    def reset(self, **kwargs: Any) -> Any:
        result = super().reset(**kwargs)
        self.x += 1e-3 * self.episodes
        return result

    def step(self, action: Any) -> Result:
        result = super().step(action)
        self.episodes += bool(result[2])
        return result


class KeepsVelocity(Good):
    def reset(self, **kwargs: Any) -> Any:
        velocity = self.v * (self.t < 10)
        result = super().reset(**kwargs)
        self.v = velocity
        return result


class FixedSeed(Good):
    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=None if seed is None else 42, options=options)


class RepeatsItself(Good):
    last = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.last = self.last if seed is None else seed
        return super().reset(seed=self.last, options=options)


class RestartsOneEpisode(Good):
    """Takes a seed, but every reset without one is one and the same episode."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=0 if seed is None else seed, options=options)


class IgnoresSeed(Good):
    """Reseeds with its own number at every reset, so that nothing ever differs."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=0, options=options)


class DrawsNothing(Good):
    """Good: nothing in it is random, though Gymnasium's part of reset takes the seed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        gymnasium.Env.reset(self, seed=seed)
        self.x, self.v, self.t = 0.5, 0.0, 0
        return self.observe(), self.info()

    def step(self, action: Any) -> Result:
        self.v, self.t = self.v + 0.2 * (int(action) - 1), self.t + 1
        self.x += self.v
        ended = abs(self.x) > 2 or self.t >= 25
        return self.observe(), -abs(self.x), bool(ended), False, self.info()


class DrawsNothingUnseeded(DrawsNothing):
    """Good: it never draws, so that it need not look at the seed."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.x, self.v, self.t = 0.5, 0.0, 0
        return self.observe(), self.info()


class RarelyDiffers(DrawsNothing):
    """Good: one seed in five starts elsewhere, so that a few resets are often alike."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.x = 0.5 if self.np_random.random() < 0.8 else 0.0
        self.v, self.t = 0.0, 0
        return self.observe(), self.info()


class SharesState(Good):
    wind: ClassVar[list[float]] = [0.0]

    def reset(self, **kwargs: Any) -> Any:
        self.wind[0] = 0.0
        return super().reset(**kwargs)

    def step(self, action: Any) -> Result:
        self.wind[0] += 1e-3
        self.x += self.wind[0]
        return super().step(action)


class SeedsGlobally(Good):
    def reset(self, **kwargs: Any) -> Any:
        np.random.seed(0)
        return super().reset(**kwargs)


class DrawsFromNumpy(Good):
    def step(self, action: Any) -> Result:
        if self.t == 3:
            self.x += float(np.random.rand())
        return super().step(action)


class DrawsFromRandom(Good):
    def step(self, action: Any) -> Result:
        self.x += random.random()
        return super().step(action)


class DrawsFromTorch(Good):
    def step(self, action: Any) -> Result:
        import torch

        self.x += float(torch.rand(()))
        return super().step(action)


class HiddenDraw(Good):
    """Puts the global generator back as it was, but depends on it."""

    def reset(self, **kwargs: Any) -> Any:
        result = super().reset(**kwargs)
        state = np.random.get_state()
        self.v = float(np.random.rand()) / 10
        np.random.set_state(state)
        return result


class DependsOnPid(Good):
    def reset(self, **kwargs: Any) -> Any:
        super().reset(**kwargs)
        self.x += os.getpid() % 1000 / 1e4
        return self.observe(), self.info()


class DependsOnHash(Good):
    def step(self, action: Any) -> Result:
        self.v += hash("wind") % 1000 / 1e5
        return super().step(action)


class CountsInstances(Good):
    made: ClassVar[Any] = itertools.count()

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.bias = 0.01 * next(self.made)

    def observe(self) -> Any:
        return super().observe() + np.float32(self.bias)
