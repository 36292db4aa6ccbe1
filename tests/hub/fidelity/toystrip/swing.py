"""A pendulum in float64 against its formula: the declaration of a continuous engine."""

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from hub import fidelity
from hub.fidelity import Check, Declaration, Mutant, Reference, Sources, TeacherForced

DT = 0.05
GRAVITY = 9.81


def acceleration(angle, torque):
    return -GRAVITY * np.sin(angle) + torque


class SwingReference(gymnasium.Env):
    observation_space = Box(-np.inf, np.inf, (2,), np.float64)
    action_space = Box(-2.0, 2.0, (1,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.normal(0, 0.5, 2)
        return np.array([self.angle, self.speed]), {}

    def step(self, action):
        self.speed += 0.05 * (float(action[0]) - 9.81 * np.sin(self.angle))
        self.angle += 0.05 * self.speed
        return np.array([self.angle, self.speed]), 0.0, False, False, {}


def engine_step(states, actions):
    speed = states[:, 1] + DT * acceleration(states[:, 0], actions[:, 0])
    reached = np.stack([states[:, 0] + DT * speed, speed], 1)
    return reached, reached


def forced_step(env, action):
    observation, _, over, cut, _ = env.step(action)
    return observation, over or cut


def gravity(samples, seed):
    angle = np.random.default_rng(seed).normal(0, 1, samples)
    return fidelity.compare(-9.81 * np.sin(angle), acceleration(angle, 0))


def lanes(num_envs):
    return SyncVectorEnv([SwingReference] * num_envs, autoreset_mode=AutoresetMode.DISABLED)


DECLARATION = Declaration(
    engine=lanes,
    sources=Sources("toystrip", ("swing.py",)),
    reference=Reference(SwingReference, "a pendulum"),
    components=(Check("gravity", gravity, tolerance=1e-12),),
    interactions=(Check("gravity with torque", gravity, tolerance=1e-12),),
    rollouts=TeacherForced(
        read_state=lambda env: np.array([env.angle, env.speed]),
        reference_step=forced_step,
        engine_step=engine_step,
        tolerance=1e-12,
        free_tolerance=1e-10,
        states=1_000,
    ),
    mutants=(
        Mutant(
            "dt",
            "constant",
            "a shorter step",
            lambda: fidelity.patched("toystrip.swing:DT", 0.0499),
        ),
    ),
)
