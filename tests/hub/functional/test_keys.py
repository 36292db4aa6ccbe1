import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hub.functional import lane_keys, moment_keys


def test_a_lane_key_is_jaxs_own_key_of_the_seed():
    keys = lane_keys([0, 7, 2**32 - 1])
    for key, seed in zip(keys, (0, 7, 2**32 - 1), strict=True):
        want = jax.random.key_data(jax.random.key(np.uint32(seed)))
        np.testing.assert_array_equal(jax.random.key_data(key), want)


def test_seeds_of_64_bits_need_no_x64():
    words = jax.random.key_data(lane_keys([2**64 - 1, 2**32 + 5]))
    assert words.tolist() == [[2**32 - 1, 2**32 - 1], [1, 5]]
    assert words.dtype == jnp.uint32


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_named(seed):
    with pytest.raises(ValueError, match=str(seed)):
        lane_keys([seed])


def test_the_key_of_a_moment_depends_on_the_lane_and_the_moment_alone():
    keys = lane_keys([5, 6])
    at = lambda episode, moment: jax.random.key_data(  # noqa: E731  # read like a table
        moment_keys(keys, jnp.full(2, episode), jnp.full(2, moment))
    )
    seen = [tuple(row) for e in range(5) for m in range(5) for row in at(e, m).tolist()]
    assert len(set(seen)) == 50
    alone = moment_keys(keys[1:], jnp.array([3]), jnp.array([2]))
    np.testing.assert_array_equal(jax.random.key_data(alone), at(3, 2)[1:])
