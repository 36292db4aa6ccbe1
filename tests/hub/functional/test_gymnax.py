import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hub.functional import GymnaxView
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
