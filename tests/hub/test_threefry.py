import pytest

from hub.threefry import draw, threefry2x32

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
    assert threefry2x32(key, counter) == answer


def test_a_draw_is_the_first_word_with_low_words_first():
    seed, index = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    words = threefry2x32((0x89ABCDEF, 0x01234567), (0x76543210, 0xFEDCBA98))
    assert draw(seed, index) == words[0]


def test_streams_of_neighbouring_seeds_and_draws_differ():
    words = {draw(seed, index) for seed in range(50) for index in range(50)}
    assert len(words) == 2500


@pytest.mark.parametrize(("seed", "index"), [(-1, 0), (1 << 64, 0), (0, -1), (0, 1 << 64)])
def test_a_seed_or_index_beyond_64_bits_is_refused(seed, index):
    with pytest.raises(ValueError, match="expected 0 to"):
        draw(seed, index)


def test_a_word_beyond_32_bits_is_refused():
    with pytest.raises(ValueError, match="word 4294967296"):
        threefry2x32((0, 0), (1 << 32, 0))
