"""Uses every method of the binding, rightly and wrongly; test_build runs it under sanitizers.

Not a pytest file: under AddressSanitizer a process should hold as little else as possible.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

import numpy as np

import hub
from hub_pong import _core
from hub_pong.env import PongEnv, PongVectorEnv


def play(mode, threads, frame_skip, compat):
    """Play, snapshot, restore and misuse one vector environment."""
    env = PongVectorEnv(
        97,
        40,
        autoreset_mode=mode,
        num_threads=threads,
        frame_skip=frame_skip,
        compat=compat,
        copy=False,
    )
    env.reset(seed=2**64 - 50)
    env.action_space.seed(0)
    data = env.snapshot()
    for _ in range(130):
        ended = np.logical_or(*env.step(env.action_space.sample())[2:4])
        if mode == "Disabled" and ended.any():
            env.reset(options={"reset_mask": ended})
    env.restore(data)
    for bad in (np.full(97, 7), np.zeros(3, int)):
        with suppress(ValueError):
            env.step(bad)
    env.close()
    with suppress(hub.ClosedError):
        env.step(np.zeros(97, int))


def race():
    """Step one environment from two threads."""
    env = PongVectorEnv(5000, num_threads=2)
    env.reset(seed=0)

    def step():
        for _ in range(200):
            with suppress(hub.ConcurrentUseError):
                env.step(np.zeros(5000, int))

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    """Exercise everything and say so."""
    assert _core.__file__.startswith(sys.argv[1]), _core.__file__
    for mode in ("NextStep", "SameStep", "Disabled"):
        for threads in (1, 3):
            play(mode, threads, 1 + 7 * (threads == 3), "puffer" if threads == 3 else None)
    race()
    single = PongEnv(render_mode="rgb_array")
    single.reset(seed=0)
    for action in range(300):
        single.step(action % 3)
    single.render()
    single.close()
    print("clean")


main()
