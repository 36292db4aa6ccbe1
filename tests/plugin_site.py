"""Real plugin distributions on a path of their own, for tests of discovery and loading.

What pip would install is written by hand: modules and a `*.dist-info` with its entry points. So
discovery, import and spawned children take the ways that they take for everybody.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

GOOD = """
import hub

@hub.hookimpl
def hub_register_envs(register):
    register(hub.EnvCard(id="{namespace}/Walk-v0", summary="A walk.", family="python",
        backend="python", entry_point="{module}_env:Walk", max_episode_steps=5))
"""

ENV = '''
"""A walk to the right."""
import gymnasium
import numpy as np

class Walk(gymnasium.Env):
    """One cell a step; `stride` cells when given."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, stride: int = 1, render_mode: str | None = None):
        self.stride, self.render_mode = stride, render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._x = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self._x += int(action) * self.stride
        return np.full(1, self._x, np.float32), float(action), self._x >= 50, False, {}

    def render(self):
        return "." * self._x + "@"
'''

VECTOR = '''
import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space
from {module}_env import Walk

class WalkVector(gymnasium.vector.VectorEnv):
    """All lanes walk at once."""

    metadata = {{"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}}

    def __init__(self, num_envs: int, max_episode_steps: int = 5, stride: int = 1,
                 render_mode: str | None = None):
        self.num_envs, self.limit, self.stride = num_envs, max_episode_steps, stride
        self.render_mode = render_mode
        self.single_observation_space = Walk.observation_space
        self.single_action_space = Walk.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed=None, options=None):
        self._x, self._t = np.zeros((self.num_envs, 1), np.float32), 0
        return self._x.copy(), {{}}

    def step(self, actions):
        self._x[:, 0] += np.asarray(actions) * self.stride
        self._t += 1
        cut = np.full(self.num_envs, self._t >= self.limit)
        return self._x.copy(), np.asarray(actions, np.float64), np.zeros_like(cut), cut, {{}}
'''


class PluginSite:
    """A directory that holds distributions with entry points of group `hub`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def module(self, name: str, source: str) -> None:
        """Write module `name`."""
        (self.path / f"{name}.py").write_text(dedent(source), encoding="utf-8")

    def distribution(self, name: str, entry_points: dict[str, str], version: str = "1.0") -> None:
        """Write the metadata that pip would, declaring `entry_points` (name: value)."""
        info = self.path / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        lines = ["[hub]", *(f"{key} = {value}" for key, value in entry_points.items()), ""]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")

    def plugin(self, name: str, source: str = "", module: str = "", dist: str = "") -> None:
        """Write a distribution with one plugin module; without `source`, a good one."""
        module = module or f"{name}_hooks"
        if not source:
            source = GOOD.format(namespace=name, module=module)
            self.module(f"{module}_env", ENV)
        self.module(module, source)
        self.distribution(dist or f"{name}-dist", {name: module})

    def points(self) -> list[importlib.metadata.EntryPoint]:
        """Return the entry points of this directory alone."""
        found = importlib.metadata.distributions(path=[str(self.path)])
        return [p for d in found for p in d.entry_points if p.group == "hub"]

    def run(
        self, *arguments: str, env: dict[str, str] | None = None, timeout: float = 120.0
    ) -> subprocess.CompletedProcess[str]:
        """Run Python with `arguments` in a process that has this directory on its path."""
        path = os.pathsep.join(filter(None, (str(self.path), os.environ.get("PYTHONPATH", ""))))
        environ = {**os.environ, "PYTHONPATH": path, **(env or {})}
        if "COLUMNS" not in (env or {}):
            environ.pop("COLUMNS", None)  # some test runners set it, and tables follow it
        return subprocess.run(
            [sys.executable, *arguments],
            env=environ,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def python(self, code: str, env: dict[str, str] | None = None) -> str:
        """Run `code` as a script file (spawn can import it); return its output, fail on error."""
        script = self.path / "script.py"
        script.write_text(dedent(code), encoding="utf-8")
        done = self.run("-W", "error", str(script), env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def hub(
        self, *arguments: str, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the `hub` command."""
        return self.run("-m", "hub", *arguments, env=env)
