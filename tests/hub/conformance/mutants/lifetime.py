"""Single environments that go wrong after an episode, when copied, drawn or closed, or grow."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import gymnasium
import numpy as np

from tests.hub.conformance.mutants.good import Good, Result


class GoesOnAfterTheEnd(Good):
    def step(self, action: Any) -> Result:
        if abs(self.x) > 2 or self.t >= 25:
            self.x, self.v, self.t = 0.0, 0.0, 0
        return super().step(action)


class RaisesAfterTheEnd(Good):
    def step(self, action: Any) -> Result:
        if abs(self.x) > 2 or self.t >= 25:
            raise gymnasium.error.ResetNeeded("reset first")
        return super().step(action)


class PoisonedAfterTheEnd(Good):
    poison = 0.0

    def reset(self, **kwargs: Any) -> Any:
        super().reset(**kwargs)
        self.x += self.poison
        return self.observe(), self.info()

    def step(self, action: Any) -> Result:
        if abs(self.x) > 2 or self.t >= 25:
            self.poison = 0.5
        return super().step(action)


class Unpicklable(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.hook = lambda: None


class CopyDiffers(Good):
    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"twin": True}

    def observe(self) -> Any:
        return super().observe() + np.float32(hasattr(self, "twin"))


class WrongFrame(Good):
    def render(self) -> Any:
        return np.zeros((4, 4), np.float64)


class RenderDisturbs(Good):
    def render(self) -> Any:
        self.np_random.normal()
        return super().render()


class ClosesOnce(Good):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise ValueError("already closed")
        self.closed = True


class GrowsInPython(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.log: list[float] = []

    def step(self, action: Any) -> Result:
        result = super().step(action)
        self.log.append(self.x)
        return result


class GrowsOutsidePython(Good):
    def step(self, action: Any) -> Result:
        # Pages of its own: malloc would first hand out what other tests have freed.
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        size, access = ctypes.c_size_t(4096), mmap.PROT_READ | mmap.PROT_WRITE
        page = libc.mmap(None, size, access, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        ctypes.memset(page, 1, 4096)
        return super().step(action)


class GrowsOnReset(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.episodes: list[Any] = []

    def reset(self, **kwargs: Any) -> Any:
        self.episodes.append(bytearray(100))
        return super().reset(**kwargs)
