"""The cheetah's pure functions: jit, batches, keys, precision, resets."""

import hashlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hub.functional import jit, lane_keys, precision
from hub_jax.cheetah.task import CheetahState, half_cheetah

LANES, STEPS = 16, 5
# XLA contracts multiply-add differently from op to op; five steps with contacts amplify it.
AGREE = {"float64": 1e-9, "float32": 2e-2}


def play(dtype, seeds, steps=STEPS):
    """Step lanes with actions that depend on the seed; returns observations and rewards."""
    env = half_cheetah(dtype=dtype)
    seeds = np.asarray(seeds)
    with precision(env):
        state = jit(env, env.init)(lane_keys(seeds), env.params)
        step = jit(env, env.step)
        seen = []
        for t in range(steps):
            rows = [np.random.default_rng([t, seed]).uniform(-1, 1, 6) for seed in seeds]
            action = np.array(rows, np.float32)
            state, reward, *_ = step(lane_keys(seeds), state, action, env.params)
            seen.append(np.column_stack([env.observe(state, env.params), reward]))
    return np.stack(seen)


def test_the_same_key_gives_the_same_trajectory():
    assert (play("float32", range(LANES)) == play("float32", range(LANES))).all()
    assert (play("float32", range(LANES)) != play("float32", range(1, LANES + 1))).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_order_of_lanes_does_not_matter(dtype):
    order = np.random.default_rng(0).permutation(LANES)
    np.testing.assert_array_equal(play(dtype, order), play(dtype, np.arange(LANES))[:, order])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_batch_of_one_is_that_lane(dtype):
    one, all_ = play(dtype, [3]), play(dtype, range(LANES))
    np.testing.assert_allclose(one[:, 0], all_[:, 3], rtol=0, atol=AGREE[dtype])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_equals_op_by_op(dtype):
    with jax.disable_jit():
        slow = play(dtype, [0, 1], steps=1)
    np.testing.assert_allclose(play(dtype, [0, 1], steps=1), slow, rtol=0, atol=AGREE[dtype] / 10)


@pytest.mark.slow
def test_another_process_gives_the_same_trajectory():
    code = (
        "from tests.plugins.hub_jax.test_cheetah_task import play;"
        "import hashlib; print(hashlib.sha256(play('float32', range(16)).tobytes()).hexdigest())"
    )
    there = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    here = hashlib.sha256(play("float32", range(16)).tobytes()).hexdigest()
    assert there.stdout.strip() == here


def test_both_precisions_live_in_one_process():
    double, single = play("float64", range(2), steps=1), play("float32", range(2), steps=1)
    # Each precision draws its own reset, so the values differ; the states' dtypes must not mix.
    assert np.isfinite(double).all()
    assert np.isfinite(single).all()
    for dtype in ("float32", "float64"):
        env = half_cheetah(dtype=dtype)
        with precision(env):
            assert env.init(lane_keys([0]), env.params).qpos.dtype == dtype
    assert not jax.config.jax_enable_x64


def test_far_away_the_physics_is_the_same():
    env = half_cheetah()
    near = env.init(lane_keys(range(4)), env.params)
    far = CheetahState(near.qpos.at[0].add(1e5), near.qvel)
    action = jnp.ones((4, 6))
    step = jit(env, env.step)
    here, there = (step(lane_keys(range(4)), s, action, env.params) for s in (near, far))
    assert (here.reward == there.reward).all()
    assert (here.state.qpos[1:] == there.state.qpos[1:]).all()


def test_nothing_is_random_in_a_step():
    env = half_cheetah()
    state = env.init(lane_keys(range(4)), env.params)
    step = jit(env, env.step)
    runs = [
        step(lane_keys(s), state, jnp.ones((4, 6)), env.params) for s in (range(4), range(4, 8))
    ]
    assert (runs[0].state.qvel == runs[1].state.qvel).all()


def test_one_configuration_is_one_record():
    assert half_cheetah(dtype="float64") is half_cheetah(dtype="float64")


def test_a_bad_dtype_is_named():
    with pytest.raises(ValueError, match="'float16': expected"):
        half_cheetah(dtype="float16")
