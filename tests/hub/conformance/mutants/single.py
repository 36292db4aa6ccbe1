"""Single environments that return or declare what they must not, one rule each."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box

from tests.hub.conformance.mutants.good import Good, Result


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
