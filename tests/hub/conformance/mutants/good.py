"""Good environments of several kinds of spaces; the mutants break the first."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Graph, GraphInstance, OneOf, Sequence, Text, Tuple

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
