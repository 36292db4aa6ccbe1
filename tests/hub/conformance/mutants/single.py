"""A good environment, and single environments that break one rule each."""

from __future__ import annotations

import ctypes
import mmap
import os
import time
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import (
    Box,
    Dict,
    Discrete,
    Graph,
    GraphInstance,
    OneOf,
    Sequence,
    Text,
    Tuple,
)  # fmt: skip

Result = tuple[Any, Any, Any, Any, dict[str, Any]]


class Good(gymnasium.Env[Any, Any]):
    """A noisy point that is pushed left and right until it leaves [-2, 2] or 25 steps are over."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 10}

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = Box(-10.0, 10.0, (3,), np.float32)
        self.action_space = Discrete(3)
        self.x = self.v = 0.0
        self.t = 0

    def observe(self) -> Any:
        return np.array([self.x, self.v, self.t / 10], np.float32)

    def info(self) -> dict[str, Any]:
        return {"t": self.t, "parts": {"x": self.x}}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.x, self.v, self.t = float(self.np_random.uniform(-1, 1)), 0.0, 0
        return self.observe(), self.info()

    def step(self, action: Any) -> Result:
        self.v += 0.2 * (int(action) - 1) + float(self.np_random.normal(0, 0.05))
        self.x += self.v
        self.t += 1
        ended = abs(self.x) > 2 or self.t >= 25
        self.x = float(np.clip(self.x, -9, 9))
        return self.observe(), -abs(self.x), bool(ended), False, self.info()

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return f"x={self.x:.2f}"
        return np.full((4, 4, 3), int(10 * abs(self.x)) % 256, np.uint8)


class Compound(Good):
    """Good, with text, dicts and tuples for observations and actions."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        words = Text(40, min_length=0, charset="0123456789.- x=")
        self.observation_space = Dict(
            {"point": self.observation_space, "seen": Tuple((Discrete(100), words))}
        )
        self.action_space = Dict({"push": Discrete(3), "say": Text(12), "by": Box(0, 1, (2,))})

    def observe(self) -> Any:
        return {"point": super().observe(), "seen": (self.t, f"x={self.x:.2f}")}

    def info(self) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "x" * self.t}], "empty": {}}

    def step(self, action: Any) -> Result:
        self.v += float(action["by"][0] - action["by"][1]) / 10 + len(action["say"]) / 1000
        return super().step(action["push"])


class Ragged(Good):
    """Good, with spaces whose values have no fixed shape or kind."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        point = Box(-10.0, 10.0, (2,), np.float32)
        either = OneOf((Discrete(100), Box(-10.0, 10.0, (1,), np.float32)))
        self.observation_space = Dict(
            {"trail": Sequence(point), "tree": Graph(point, Discrete(3)), "either": either}
        )
        self.action_space = Tuple(
            (Sequence(Discrete(3)), OneOf((Discrete(3), Box(0, 1, (1,), np.float32))))
        )

    def observe(self) -> Any:
        point = np.array([self.x, self.v], np.float32)
        nodes = np.tile(point, (self.t + 1, 1))
        links = np.array([[i, i + 1] for i in range(self.t)], np.int32).reshape(-1, 2)
        kinds = np.arange(self.t, dtype=np.int64) % 3
        either = (0, np.int64(self.t)) if self.t % 2 else (1, point[:1])
        tree = GraphInstance(nodes, kinds, links) if self.t else GraphInstance(nodes, None, None)
        return {"trail": (point,) * (self.t % 4), "tree": tree, "either": either}

    def step(self, action: Any) -> Result:
        many, (kind, value) = action
        self.v += sum(int(a) - 1 for a in many) / 100 + kind * float(np.sum(value)) / 100
        return super().step(int(value) if kind == 0 else 1)


class Messages(Good):
    """Good, with nothing but text, as a language-model task has."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.observation_space = Text(40, charset="0123456789.- x=")
        self.action_space = Text(12)

    def observe(self) -> Any:
        return f"x={self.x:.2f}"

    def step(self, action: Any) -> Result:
        return super().step(len(action) % 3)


class SaysNondeterministic(Good):
    """Draws from the system and says so: registered with nondeterministic=True."""

    def observe(self) -> Any:
        return super().observe() + np.float32(int.from_bytes(os.urandom(2)) / 2**16)


class Raises(Good):
    def step(self, action: Any) -> Result:
        if self.t == 4:
            raise ValueError("no fifth step")
        return super().step(action)


class RaisesOnConstruction(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        raise RuntimeError("no such file")


class OldReset(Good):
    def reset(self, **kwargs: Any) -> Any:
        return super().reset(**kwargs)[0]


class OldStep(Good):
    def step(self, action: Any) -> Any:
        obs, reward, terminated, _, info = super().step(action)
        return obs, reward, terminated, info


class NoSpace(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.observation_space = None  # type: ignore[assignment]  # the fault


class OutsideLate(Good):
    def observe(self) -> Any:
        return super().observe() + np.float32(100.0 * (self.t == 2))


class OutsideFromSomeStarts(Good):
    """Only an episode that starts far to the right breaks, at its second step."""

    start = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = super().reset(seed=seed)
        self.start = self.x
        return observation, info

    def observe(self) -> Any:
        return super().observe() + np.float32(100.0 * (self.t == 2 and self.start > 0.7))


class TupleInKwargs(Good):
    """JSON makes a list of the tuple that it is registered with."""

    registered: ClassVar[dict[str, Any]] = {"size": (2, 2)}

    def __init__(self, size: Any, render_mode: str | None = None) -> None:
        super().__init__(render_mode)


class NaNInKwargs(Good):
    """JSON has no NaN."""

    registered: ClassVar[dict[str, Any]] = {"scale": float("nan")}

    def __init__(self, scale: float, render_mode: str | None = None) -> None:
        super().__init__(render_mode)


class WrongDtype(Good):
    def observe(self) -> Any:
        return super().observe().astype(np.float64)


class NaNAtTheEnd(Good):
    def step(self, action: Any) -> Result:
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, float("nan") if terminated else reward, terminated, truncated, info


class InfiniteReward(Good):
    def step(self, action: Any) -> Result:
        obs, reward, *rest = super().step(action)
        return (obs, float("-inf") if self.t == 3 else reward, *rest)


class ArrayReward(Good):
    def step(self, action: Any) -> Result:
        obs, reward, *rest = super().step(action)
        return (obs, np.array([reward]), *rest)


class NumpyReward(Good):
    def step(self, action: Any) -> Result:
        obs, reward, *rest = super().step(action)
        return (obs, np.float32(reward), *rest)


class RewardOutsideRange(Good):
    reward_range = (-1.5, 0.0)


class IntFlag(Good):
    def step(self, action: Any) -> Result:
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, int(terminated), truncated, info


class NumpyFlag(Good):
    def step(self, action: Any) -> Result:
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, np.bool_(terminated), truncated, info


class BothFlags(Good):
    def step(self, action: Any) -> Result:
        obs, reward, terminated, _, info = super().step(action)
        return obs, reward, terminated, terminated, info


class NeverEnds(Good):
    def step(self, action: Any) -> Result:
        obs, reward, _, _, info = super().step(action)
        self.t = min(self.t, 5)
        return obs, reward, False, False, info


class NeverEndsSlowly(NeverEnds):
    def step(self, action: Any) -> Result:
        time.sleep(0.005)
        return super().step(action)


class LambdaInInfo(Good):
    def info(self) -> dict[str, Any]:
        return {"f": lambda: 0}


class IntKeyInInfo(Good):
    def info(self) -> dict[str, Any]:
        return {7: 1.0}  # type: ignore[dict-item]  # the fault


class ReusedObservation(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.buffer = np.zeros(3, np.float32)

    def observe(self) -> Any:
        self.buffer[:] = super().observe()
        return self.buffer


class ReusedInfo(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.shared: dict[str, Any] = {}

    def info(self) -> dict[str, Any]:
        self.shared["t"] = self.t
        return self.shared


class HandsOutItsState(Good):
    """Never changes what it returned, but computes with it."""

    def reset(self, **kwargs: Any) -> Any:
        self.state, info = super().reset(**kwargs)
        return self.state, info

    def step(self, action: Any) -> Result:
        self.x = float(self.state[0])
        self.state, *rest = super().step(action)
        return (self.state, *rest)


class ChangesAction(Good):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.action_space = Box(-2.0, 2.0, (1,), np.float32)

    def step(self, action: Any) -> Result:
        np.clip(action, -1, 1, out=action)
        return super().step(action[0] + 1)


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


class InfoIntThenFloat(Good):
    def info(self) -> dict[str, Any]:
        return {"score": 1 if self.t == 0 else 0.5}


class InfoRagged(Good):
    def info(self) -> dict[str, Any]:
        return {"seen": np.arange(self.t)}


class InfoLongerString(Good):
    def info(self) -> dict[str, Any]:
        return {"name": np.array("a" * (1 + self.t % 3))}


class InfoMaskClash(Good):
    def info(self) -> dict[str, Any]:
        return {"x": 1.5, "_x": 2.5}


class InfoReservedKey(Good):
    def info(self) -> dict[str, Any]:
        return {"final_obs": 1}


class InfoDictThenNumber(Good):
    def info(self) -> dict[str, Any]:
        return {"x": {"a": 1} if self.t == 0 else 1}
