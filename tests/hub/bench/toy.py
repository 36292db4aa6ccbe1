"""A toy environment as a real plugin distribution: episodes of four steps, optional parts."""

from __future__ import annotations

from tests.plugin_site import PluginSite

ENV = '''
import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

STEPS = 4
OBSERVATIONS = gymnasium.spaces.Box(0.0, STEPS, (1,), np.float32)
ACTIONS = gymnasium.spaces.Discrete(2)


class Toy(gymnasium.Env):
    """Counts its steps; ends after four."""

    metadata = {"render_modes": []}
    observation_space, action_space = OBSERVATIONS, ACTIONS

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.t += 1
        return np.full(1, self.t, np.float32), 1.0, self.t == STEPS, False, {}


class ToyVector(VectorEnv):
    """The same in NEXT_STEP: every fifth step only resets."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs, copy=True, num_threads=None, render_mode=None):
        self.num_envs, self.copy, self.render_mode = num_envs, copy, render_mode
        self.single_observation_space, self.single_action_space = OBSERVATIONS, ACTIONS
        self.observation_space = batch_space(OBSERVATIONS, num_envs)
        self.action_space = batch_space(ACTIONS, num_envs)

    def reset(self, *, seed=None, options=None):
        self.t = 0
        return np.zeros((self.num_envs, 1), np.float32), {}

    def step(self, actions):
        self.t = 0 if self.t == STEPS else self.t + 1
        ended = np.full(self.num_envs, self.t == STEPS)
        observations = np.full((self.num_envs, 1), self.t, np.float32)
        return observations, np.ones(self.num_envs), ended, np.zeros_like(ended), {}


def layers(lanes):
    def loop(batches):
        for _ in range(batches * lanes):
            pass
        return batches * lanes

    return {"bare loop": loop}


def absent(lanes):
    raise ImportError("no such engine here")


class Broken(Toy):
    def step(self, action):
        raise RuntimeError("out of order")


class Crash(Toy):
    def step(self, action):
        import os, signal
        os.kill(os.getpid(), signal.SIGSEGV)


gymnasium.register("Toy-v0", Toy)
'''

PLUGIN = """
import hub

ENVS = {envs!r}
NEEDS = (hub.Requirement("program", "no-such-program", "buy it"),)

@hub.hookimpl
def hub_register_envs(register):
    for name, (vector, bench) in ENVS.items():
        register(hub.EnvCard(id="toy/" + name + "-v0", summary="Counts.", family="python",
            backend="python", entry_point="toy_env:" + name, bench=bench,
            vector_entry_point="toy_env:ToyVector" if vector else None,
            requires=NEEDS if name == "Absent" else ()))

@hub.hookimpl
def hub_register_benchmarks(register):
    register("toys", "toy_suite:run", "Counts toys.")
"""

SUITE = """
from hub.bench import Row

def run(plan):
    plan.progress("counting", 1, 2)
    yield Row("toys", "shelf", "toys", "toys/s", 3.0, 2.0, 4.0)
    raise OSError("the shelf broke")
"""


def write_toy(site: PluginSite, bench: dict[str, object] | None = None) -> None:
    """Write the toy's distribution: `Toy` (with `bench`), `Broken`, `Crash`, `Absent`."""
    envs = {"Toy": (True, bench or {}), "Broken": (False, {}), "Crash": (False, {})}
    envs["Absent"] = (False, {})
    site.module("toy_env", ENV)
    site.module("toy_suite", SUITE)
    site.plugin("toy", PLUGIN.format(envs=envs), module="toy_hooks")
