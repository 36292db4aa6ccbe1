import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hub.functional import FunctionalVectorEnv, begin, jit, lane_keys, precision, rollout
from hub.functional.sampling import random_actions
from tests.hub.functional.games import duel, script, walk


def ones(weights, key, memory, observation, info, started):
    return memory, jnp.ones(observation.shape[0], jnp.int32), None


def counter(weights, key, memory, observation, info, started):
    """A recurrent policy whose memory counts the steps of the episode."""
    memory = jnp.where(started, 0, memory + 1)
    return memory, jnp.zeros(observation.shape[0], jnp.int32), memory


def random_policy(env):
    def act(weights, key, memory, observation, info, started):
        keys = jax.random.split(key, started.shape[0])
        return memory, random_actions(env, keys, info), None

    return act


def collect(env, policy, lanes, steps, memory=None, **options):
    run = jit(env, functools.partial(rollout, env, policy, steps=steps, **options))
    with precision(env):
        runner = begin(env, lane_keys(range(lanes)), memory, jax.random.key(0))
        return run(runner, None)


def test_it_is_the_vector_environment_in_same_step_mode():
    _, data = collect(script(), ones, 3, 8, max_episode_steps=2)
    env = FunctionalVectorEnv(script(), 3, autoreset_mode="SameStep", max_episode_steps=2)
    observation, _ = env.reset(seed=0)
    for step in range(8):
        np.testing.assert_array_equal(data.observation[step], observation)
        observation, reward, terminated, truncated, infos = env.step(np.ones(3, int))
        np.testing.assert_array_equal(data.reward[step], reward)
        np.testing.assert_array_equal(data.terminated[step], terminated)
        np.testing.assert_array_equal(data.truncated[step], truncated)
        final = infos.get("final_obs", observation)
        np.testing.assert_array_equal(data.next_observation[step], np.stack(list(final)))


def test_a_recurrent_policy_forgets_where_an_episode_starts():
    _, data = collect(script(3), counter, 2, 7, memory=jnp.full(2, 50))
    assert data.extra[:, 0].tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert data.started[:, 1].tolist() == [True, False, False, True, False, False, True]


def test_two_rollouts_of_half_the_length_are_one():
    env = script(3)
    run = jit(env, functools.partial(rollout, env, counter, steps=4))
    first, a = run(begin(env, lane_keys(range(2)), jnp.zeros(2), jax.random.key(0)), None)
    _, b = run(first, None)
    _, whole = collect(env, counter, 2, 8, memory=jnp.zeros(2))
    for one, two, both in zip(*map(jax.tree.leaves, (a, b, whole)), strict=True):
        np.testing.assert_array_equal(np.concatenate([one, two]), both)


@pytest.mark.parametrize("together", [True, False])
def test_two_masked_players_share_a_rollout(together):
    env = duel(together)
    _, data = collect(env, random_policy(env), 16, 60)
    legal = np.take_along_axis(data.info["action_mask"], data.action[..., None], -1)
    assert legal.all(), "no illegal action was chosen"
    assert np.all(data.info["to_move"].sum(-1) == (2 if together else 1))
    idle = data.info["action_mask"][~np.asarray(data.info["to_move"])]
    assert np.all(idle.sum(-1) == 1), "who is not to move has one action"
    assert data.reward.shape == (60, 16, 2)
    np.testing.assert_array_equal(data.reward.sum(-1), 0)
    assert data.terminated.sum() > 16
    assert {-1.0, 1.0} <= set(np.unique(data.reward))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_batched_environment_scans_in_its_precision(dtype):
    env = walk(dtype)
    _, data = collect(env, random_policy(env), 5, 6)
    assert data.observation.shape == (6, 5, 2)
    assert data.observation.dtype == data.reward.dtype == dtype


def test_every_episode_of_a_rollout_starts_elsewhere():
    _, data = collect(script(2), ones, 8, 20)
    names = np.asarray(data.observation[..., 1])[np.asarray(data.started)]
    assert len(np.unique(names)) == len(names) == 80
