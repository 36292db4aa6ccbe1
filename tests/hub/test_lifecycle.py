"""Native objects used after a fork, from two threads, or over and over: errors, never a crash."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import hub
from tests import need

pong = need.module("hub_pong.env")


def run(code):
    """Run `code` in a process of its own and return its standard output."""
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_forked_child_gets_an_error_and_can_still_exit():
    out = run(
        """
        import os, hub, numpy as np
        from hub_pong.env import PongVectorEnv
        env = PongVectorEnv(1000, num_threads=4)
        env.reset(seed=0); env.step(np.zeros(1000, int))
        child = os.fork()
        if child == 0:
            for use in (lambda: env.step(np.zeros(1000, int)), env.reset, env.snapshot):
                try:
                    use()
                except hub.ForkedError as error:
                    print("refused", flush=True)
            env.close()
            fresh = PongVectorEnv(1000, num_threads=4)
            fresh.reset(seed=0); fresh.step(np.zeros(1000, int)); fresh.close()
            del env, fresh
            raise SystemExit(0)
        assert os.waitpid(child, 0)[1] == 0
        env.step(np.zeros(1000, int))
        """
    )
    assert out.split() == ["refused"] * 3


def test_a_second_thread_gets_an_error_and_the_first_goes_on():
    env = pong.PongVectorEnv(20_000, frame_skip=8, num_threads=1)
    alone = pong.PongVectorEnv(20_000, frame_skip=8, num_threads=1)
    env.reset(seed=0), alone.reset(seed=0)
    actions = np.ones(20_000, int)
    refused, stop = [], threading.Event()

    def intrude():
        while not stop.is_set():
            try:
                env.snapshot()
            except hub.ConcurrentUseError as error:
                refused.append(error)

    thread = threading.Thread(target=intrude)
    thread.start()
    stepped = 0
    while len(refused) < 5 and stepped < 500:
        try:
            env.step(actions)
            stepped += 1
        except hub.ConcurrentUseError:
            pass
    stop.set()
    thread.join()
    assert "another thread" in str(refused[0])
    for _ in range(stepped):
        expected = alone.step(actions)
    if stepped:
        assert np.array_equal(env.restore(env.snapshot()), expected[0])


def test_use_after_close_is_refused_by_every_method():
    env = pong.PongVectorEnv(1000, num_threads=4)
    env.reset(seed=0)
    env.step(np.zeros(1000, int))
    data = env.snapshot()
    env.close()
    env.close()
    uses = (
        lambda: env.step(np.zeros(1000, int)),
        lambda: env.reset(seed=0),
        env.snapshot,
        lambda: env.restore(data),
    )
    for use in uses:
        with pytest.raises(hub.ClosedError, match="make a new one"):
            use()


def test_many_resets_and_environments_neither_crash_nor_leave_threads():
    before = threading.active_count()
    for _ in range(50):
        env = pong.PongVectorEnv(64, num_threads=3)
        env.reset(seed=0), env.reset(), env.reset()
        env.step(np.zeros(64, int))
        env.close()
    assert threading.active_count() == before


def test_importing_starts_no_thread():
    assert run("import hub_pong._core, os; print(len(os.listdir('/proc/self/task')))") == "1\n"
