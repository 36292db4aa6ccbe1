import dataclasses
import functools

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hub.errors import InvalidAction
from hub.functional import FunctionalSingleEnv, GymnaxView
from tests.hub.functional.games import duel, script, walk


def scan(view, lanes, steps):
    """What PureJaxRL does: vmap reset and step, scan over time."""
    keys = jax.random.split(jax.random.key(0), lanes)
    observation, state = jax.vmap(view.reset, (0, None))(keys, view.default_params)

    def one(carry, key):
        state, last = carry
        space = view.action_space()
        whole = np.issubdtype(space.dtype, np.integer)
        actions = jnp.zeros((lanes, *space.shape), jnp.int32 if whole else space.dtype)
        step = jax.vmap(view.step, (0, 0, 0, None))
        observation, state, reward, done, info = step(
            jax.random.split(key, lanes), state, actions, view.default_params
        )
        return (state, observation), (last, observation, reward, done, info)

    keys = jax.random.split(jax.random.key(1), steps)
    return jax.jit(functools.partial(jax.lax.scan, one))((state, observation), keys)[1]


def test_step_resets_by_itself_with_fresh_keys_and_keeps_the_final_observation():
    before, after, _reward, done, info = scan(GymnaxView(script(), max_episode_steps=2), 4, 6)
    assert done[:, 0].tolist() == [False, True] * 3
    assert info["truncated"][1].all()
    assert not info["terminated"].any()
    starts = np.asarray(after)[np.asarray(done)]
    assert np.all(starts[:, 0] == 0)
    assert len(np.unique(starts[:, 1])) == 12, "no reset state comes twice"
    assert info["final_obs"][1, :, 0].tolist() == [2] * 4
    np.testing.assert_array_equal(info["final_obs"][1, :, 1], before[1, :, 1])
    np.testing.assert_array_equal(info["name"], after[..., 1])


def test_an_environment_written_for_all_lanes_serves_single_ones_too():
    _, after, reward, _, _ = scan(GymnaxView(walk()), 3, 5)
    assert after.shape == (5, 3, 2)
    assert reward.shape == (5, 3)


def test_it_describes_itself_as_gymnax_users_expect():
    view = GymnaxView(script())
    assert (view.name, view.num_actions) == ("script", 2)
    assert view.action_space(view.default_params).n == 2
    assert view.observation_space(view.default_params).shape == (2,)
    assert GymnaxView(walk()).num_actions == 2


def test_a_game_of_two_is_refused():
    with pytest.raises(ValueError, match="duel has 2 players"):
        GymnaxView(duel(True))


@pytest.mark.parametrize("action", [1, np.int64(1), np.array(1), True])
def test_a_whole_number_that_is_no_array_steps_as_one(action):
    # Rules may ask their action for what only arrays have.
    rules = script()
    env = dataclasses.replace(
        rules, step=lambda k, s, a, p: rules.step(k, s, (a == 1).astype(jnp.int32), p)
    )
    view, key = GymnaxView(env), jax.random.key(0)
    _, state = view.reset(key)
    want = view.step(key, state, jnp.int32(1))
    got = view.step(key, state, action)
    assert got[2] == want[2] == 11
    assert got[2].dtype == jnp.float32
    np.testing.assert_array_equal(jax.jit(view.step)(key, state, action)[0], want[0])


@pytest.mark.parametrize("action", [1.0, "1", None])
def test_what_is_no_whole_number_is_refused_for_a_discrete_action(action):
    view, key = GymnaxView(script()), jax.random.key(0)
    _, state = view.reset(key)
    with pytest.raises(InvalidAction, match=r"actions of dtype .*: expected int64"):
        view.step(key, state, action)


def test_a_list_of_numbers_steps_as_an_array():
    view, key = GymnaxView(walk()), jax.random.key(0)
    _, state = view.reset(key)
    want = view.step(key, state, jnp.array([0.25, -0.5], jnp.float32))
    got = view.step(key, state, [0.25, -0.5])
    np.testing.assert_array_equal(got[0], want[0])
    assert got[0].dtype == want[0].dtype


def test_a_gymnasium_environment_is_refused_with_where_it_keeps_the_functional_one():
    env = gymnasium.wrappers.TimeLimit(FunctionalSingleEnv(script()), 3)
    with pytest.raises(TypeError, match=r"is no hub.functional.FunctionalEnv: give env.unwrapped"):
        GymnaxView(env)
    assert GymnaxView(env.unwrapped.functional).name == "script"
    with pytest.raises(TypeError, match=r"'script' is no .* has it as env.unwrapped.functional"):
        GymnaxView("script")
