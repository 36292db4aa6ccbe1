"""JAX Pong against C Pong and the Python reference: same seeds, same actions, every bit."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tests import need

LANES, MANY = 64, 512
RULES = [None, "puffer"]
LIMIT = 3000


def choose(rng, observation):
    """Half of the lanes follow the ball, clumsily; the others act at random."""
    wanted = np.where(observation[:, 3] > observation[:, 1] * 0.9, 1, 2)
    random = rng.integers(0, 3, len(observation))
    follows = (np.arange(len(observation)) % 2 == 0) & (rng.random(len(observation)) < 0.8)
    return np.where(follows, wanted, random)


def compare(ours, theirs, seed, episodes):
    """Step both until so many episodes have ended; returns how they ended."""
    rng, history, ended = np.random.default_rng(seed), [], np.zeros(2, int)
    got, want = ours.reset(seed=seed), theirs.reset(seed=seed)
    np.testing.assert_array_equal(got[0], want[0])
    while ended.sum() < episodes:
        history.append(choose(rng, want[0]))
        got, want = ours.step(history[-1]), theirs.step(history[-1])
        for name, a, b in zip(
            ("obs", "reward", "terminated", "truncated"), got, want, strict=False
        ):
            if a.tobytes() != np.ascontiguousarray(b).tobytes():
                lane = np.argwhere(a != b)[0][0]
                actions = [int(step[lane]) for step in history]
                pytest.fail(
                    f"step {len(history)}, lane {lane} (seed {seed + lane}), {name}: "
                    f"{a[lane]}, not {b[lane]}; actions {actions}"
                )
        for a, b in zip(got[4].get("final_obs", ()), want[4].get("final_obs", ()), strict=True):
            np.testing.assert_array_equal(a, b)
        ended += want[2].sum(), want[3].sum()
    return ended


def ours(mode, lanes=LANES, **options):
    return gymnasium.make_vec(
        "hub:jax/Pong-v0", lanes, autoreset_mode=mode, max_episode_steps=LIMIT, **options
    )


def native(mode, lanes=LANES, **options):
    need.module("hub_pong._core")
    return gymnasium.make_vec(
        "hub:native/Pong-v0", lanes, autoreset_mode=mode, max_episode_steps=LIMIT, **options
    )


def python(mode, **options):
    """The reference's reset without a seed goes on with its stream, as a lane's does."""
    need.module("hub_pong.reference")
    make = "hub:native/PongPython-v0"
    return SyncVectorEnv(
        [lambda: gymnasium.make(make, max_episode_steps=LIMIT, **options)] * LANES,
        autoreset_mode=mode,
    )


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("compat", RULES)
@pytest.mark.parametrize("frame_skip", [1, 4])
def test_it_equals_the_c_core(compat, frame_skip, mode):
    options = {"compat": compat, "frame_skip": frame_skip}
    compare(ours(mode, **options), native(mode, **options), seed=2**32 - 9, episodes=40)


@pytest.mark.parametrize("compat", RULES)
def test_it_equals_the_python_reference(compat):
    options, mode = {"compat": compat, "frame_skip": 8}, AutoresetMode.SAME_STEP
    compare(ours(mode, **options), python(mode, **options), seed=5, episodes=30)


@pytest.mark.slow
@pytest.mark.parametrize("compat", RULES)
@pytest.mark.parametrize("frame_skip", range(1, 9))
def test_it_equals_the_c_core_over_a_thousand_episodes(compat, frame_skip):
    options = {"compat": compat, "frame_skip": frame_skip, "lanes": MANY}
    mode, seed = AutoresetMode.SAME_STEP, 1000 * frame_skip
    ended = compare(ours(mode, **options), native(mode, **options), seed, episodes=1000)
    assert ended[0] > 500, "most episodes are played to the end"


@pytest.mark.slow
@pytest.mark.parametrize("compat", RULES)
@pytest.mark.parametrize("frame_skip", [1, 3, 8])
def test_it_equals_the_python_reference_over_many_episodes(compat, frame_skip):
    options, mode = {"compat": compat, "frame_skip": frame_skip}, AutoresetMode.SAME_STEP
    compare(ours(mode, **options), python(mode, **options), seed=77, episodes=170)
