"""An adapter is used by one thread at a time, and says so to the other, as native ones do."""

import copy
import dataclasses
import pickle
import threading

import numpy as np
import pytest

from hub.errors import ClosedError, ConcurrentUseError
from hub.functional import FunctionalSingleEnv, FunctionalVectorEnv
from tests.hub.functional.games import script

ADAPTERS = pytest.mark.parametrize("adapter", [FunctionalVectorEnv, FunctionalSingleEnv])


def pickled(env):
    return pickle.loads(pickle.dumps(env))


def action(env):
    return np.zeros(env.action_space.shape, int) if env.action_space.shape else 0


@ADAPTERS
def test_whoever_comes_while_a_call_runs_is_refused_and_the_call_goes_on(adapter):
    inside, leave = threading.Event(), threading.Event()

    def slow_picture(state, params):
        inside.set()
        assert leave.wait(60)
        return np.zeros((1, 1, 3), np.uint8)

    env = adapter(dataclasses.replace(script(), render=slow_picture), render_mode="rgb_array")
    env.reset(seed=0)
    data = env.snapshot()
    drawn = []
    thread = threading.Thread(target=lambda: drawn.append(env.render()))
    thread.start()
    assert inside.wait(60)
    uses = [env.reset, lambda: env.step(action(env)), env.render, env.snapshot,
            lambda: env.restore(data), env.close]  # fmt: skip
    if adapter is FunctionalSingleEnv:
        uses += [lambda: env.lane_state, lambda: setattr(env, "lane_state", None)]
    for use in uses:
        with pytest.raises(ConcurrentUseError, match=r"another thread is inside .* its own"):
            use()
    leave.set()
    thread.join()
    assert len(drawn) == 1
    env.step(action(env))


@ADAPTERS
def test_two_threads_that_step_meet_no_other_error_than_the_hubs(adapter):
    env = adapter(script(1 << 20))
    env.reset(seed=0)
    env.step(action(env))
    start, counts, errors = threading.Barrier(2), [0, 0], []

    def go_on(place):
        start.wait()
        for _ in range(300):
            try:
                env.step(action(env))
                counts[place] += 1
            except ConcurrentUseError:
                pass
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=go_on, args=(place,)) for place in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert errors == []
    seen = env.step(action(env))[0]
    assert seen[..., 0] == 2 + sum(counts), "every step that was let in counts once"


@ADAPTERS
def test_an_error_inside_lets_the_next_call_in(adapter):
    env = adapter(script())
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action"):
        env.step("no action")
    env.step(action(env))


@ADAPTERS
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_made_while_a_call_runs_is_free(adapter, twin):
    env = adapter(script())
    env.reset(seed=0)
    data = env.snapshot()
    with env._turn:
        other = twin(env)
    assert np.array_equal(other.restore(data), env.restore(data))


def test_a_vector_environment_closes_with_what_gymnasiums_own_take():
    env = FunctionalVectorEnv(script(), 2)
    env.reset(seed=0)
    env.close(timeout=3)
    assert env._carry is None
    with pytest.raises(ClosedError, match="this environment is closed; make a new one"):
        env.step(np.zeros(2, int))
    FunctionalVectorEnv(script(), 2).close()
