import jax
import jax.numpy as jnp
import pytest

from hub import threefry as python
from hub.functional import lane_keys
from hub_jax import threefry

ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("key", "counter", "answer"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_it_gives_the_published_known_answers(key, counter, answer):
    words = threefry.threefry2x32(tuple(map(jnp.uint32, key)), tuple(map(jnp.uint32, counter)))
    assert tuple(map(int, words)) == answer


def test_a_lane_draws_what_the_contract_says_also_beyond_32_bits():
    seeds = [0, 1, 2**32 - 1, 2**32, 0x0123456789ABCDEF, 2**64 - 1]
    streams = jax.vmap(threefry.stream)(lane_keys(seeds))
    for index in range(5):
        words, streams = jax.vmap(threefry.draw)(streams, jnp.ones(len(seeds), bool))
        assert words.tolist() == [python.draw(seed, index) for seed in seeds]


def test_the_draw_number_carries_into_its_high_word_and_waits_where_not_used():
    seed, last = 77, 2**32 - 1
    zero = jnp.uint32(0)
    now = threefry.Stream(jnp.uint32(seed), zero, jnp.uint32(last), zero)
    same, unused = threefry.draw(now, jnp.bool_(False))
    first, after = threefry.draw(unused, jnp.bool_(True))
    second, _ = threefry.draw(after, jnp.bool_(True))
    assert int(same) == int(first) == python.draw(seed, last)
    assert int(second) == python.draw(seed, last + 1)
