"""The rules of JAX Pong one by one, and its manners as an environment."""

import dataclasses
import functools
import json
import subprocess
import sys

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hub
from hub.functional.properties import check_properties, digest
from hub_jax import pong_view
from hub_jax.pong import FAR_X, FAR_Y, PUFFER, Court, Rules, covers, frame, observe, pong, serve
from tests import need

DEFAULT, QUIRKS = Rules(puffer=False, frame_skip=1), Rules(puffer=True, frame_skip=1)
BOTH = [DEFAULT, QUIRKS]


def court(**where):
    middle = {"paddle_left": 285, "paddle_right": 285, "ball_x": 200, "ball_y": 304}
    values = {**middle, "ball_vx": 10, "ball_vy": 1, **where}
    return Court(**{name: jnp.int32(value) for name, value in values.items()})


def after(rules, direction=0, **where):
    moved, events = frame(rules, court(**where), jnp.int32(direction))
    values = {k: int(v) for k, v in dataclasses.asdict(moved).items()}
    return values, [name for name, value in dataclasses.asdict(events).items() if value]


@pytest.mark.parametrize("rules", BOTH)
def test_paddles_move_by_eight_and_stop_at_their_limits(rules):
    low, high = (-35, 605) if rules.puffer else (0, 570)
    assert after(rules, 1)[0]["paddle_right"] == 293
    assert after(rules, -1, paddle_right=low + 3)[0]["paddle_right"] == low
    assert after(rules, 1, paddle_right=high - 3)[0]["paddle_right"] == high


def test_the_opponent_follows_the_balls_centre_and_under_puffer_its_lower_edge():
    assert after(DEFAULT, ball_y=304)[0]["paddle_left"] == 285
    assert after(QUIRKS, ball_y=304)[0]["paddle_left"] == 277
    assert after(DEFAULT, ball_y=310)[0]["paddle_left"] == 291
    assert after(DEFAULT, ball_y=500)[0]["paddle_left"] == 293


@pytest.mark.parametrize(("start", "speed", "edge"), [(FAR_Y - 3, 7, FAR_Y), (2, -5, 0)])
def test_walls_turn_the_ball_and_under_puffer_leave_it_outside(start, speed, edge):
    default, _ = after(DEFAULT, ball_y=start, ball_vy=speed)
    puffer, _ = after(QUIRKS, ball_y=start, ball_vy=speed)
    assert (default["ball_y"], default["ball_vy"]) == (edge, -speed)
    assert (puffer["ball_y"], puffer["ball_vy"]) == (start + speed, -speed)


def test_the_opponent_returns_what_it_covers_and_loses_the_rest():
    there = {"ball_x": 5, "ball_vx": -10}
    assert after(DEFAULT, **there)[0] | {"ball_x": 0, "ball_vx": 10} == after(DEFAULT, **there)[0]
    assert after(QUIRKS, **there)[0]["ball_x"] == -5
    assert after(DEFAULT, **there)[1] == []
    assert after(DEFAULT, **there, paddle_left=400)[1] == ["won"]


def test_the_agents_return_spins_and_its_miss_loses_the_point():
    there = {"ball_x": FAR_X - 5, "ball_vx": 10}
    moved, events = after(DEFAULT, 1, **there)
    assert (moved["ball_x"], moved["ball_vx"], moved["ball_vy"]) == (FAR_X, -10, 4)
    assert events == ["hit"]
    assert after(DEFAULT, -1, **there, ball_vy=-12)[0]["ball_vy"] == -13
    assert after(DEFAULT, 1, **there, ball_vy=-3)[0]["ball_vy"] == 3, "a level ball is sent up"
    assert after(DEFAULT, **there, paddle_right=500)[1] == ["lost"]


def test_paddle_and_ball_must_share_some_height():
    edges = [int(covers(jnp.int32(300), jnp.int32(y))) for y in (268, 269, 369, 370)]
    assert edges == [0, 1, 1, 0]


@pytest.mark.parametrize("rules", BOTH)
def test_the_two_low_bits_of_the_draw_decide_a_serve(rules):
    courts = [serve(rules, jnp.uint32(word)) for word in (0, 1, 2, 3)]
    speeds = [(int(c.ball_vx), int(c.ball_vy)) for c in courts]
    starts = {int(c.ball_x) for c in courts}
    if rules.puffer:
        assert speeds == [(10, -1), (10, 0), (10, -1), (10, 0)]
        assert starts == {100}
    else:
        assert speeds == [(10, -1), (10, 1), (-10, -1), (-10, 1)]
        assert starts == {100, FAR_X - 100}


@pytest.mark.parametrize("rules", BOTH)
def test_every_observable_value_is_numpys_also_when_compiled(rules):
    """XLA turns a division into a product; ours is a product already, with NumPy's constant."""
    outside = 35 if rules.puffer else 0
    state = pong(PUFFER if rules.puffer else None).init(jax.random.key(0), None)
    look = jax.jit(jax.vmap(functools.partial(observe, rules), (0, None)))
    for name, place, shift, span in (
        ("paddle_left", 0, outside, 570 + 2 * outside),
        ("ball_x", 2, 0, 500),
        ("ball_y", 3, 0, 640),
        ("ball_vy", 5, 13, 26),
    ):
        values = np.arange(-40, 640, dtype=np.int32)
        lanes = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (680,)), state)
        changed = dataclasses.replace(lanes.court, **{name: jnp.asarray(values)})
        seen = changed if rules.puffer else None
        got = np.asarray(look(dataclasses.replace(lanes, court=changed, seen=seen), None))
        want = (values + shift).astype(np.float32) * (np.float32(1) / np.float32(span))
        assert got[:, place].tobytes() == want.tobytes(), name


@pytest.mark.parametrize("options", [(None, 1), (None, 4), (PUFFER, 3)])
def test_it_has_the_properties_of_a_functional_environment_bit_for_bit(options):
    check_properties(pong(*options), seeds=[0, 2**63 + 1, 5], steps=12)


def test_the_trajectory_of_a_seed_is_the_same_in_another_process():
    code = (
        "from hub.functional.properties import digest; from hub_jax.pong import pong;"
        "print(digest(pong(), seed=5))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest(pong(), seed=5)


def test_x64_is_neither_needed_nor_noticed():
    env = gymnasium.make("hub:jax/Pong-v0")
    plain = [env.reset(seed=2**63)[0]] + [env.step(1)[0] for _ in range(20)]
    with jax.enable_x64(True):
        env = gymnasium.make("hub:jax/Pong-v0")
        wide = [env.reset(seed=2**63)[0]] + [env.step(1)[0] for _ in range(20)]
    np.testing.assert_array_equal(plain, wide)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compat": "atari"}, "compat 'atari'"),
        ({"frame_skip": 9}, "frame_skip 9"),
        ({"frame_skip": True}, "frame_skip True"),
    ],
)
def test_a_bad_option_is_named(options, words):
    pong(frame_skip=1)  # to a cache True is the same key
    with pytest.raises(ValueError, match=words):
        gymnasium.make("hub:jax/Pong-v0", **options)


def test_one_record_serves_every_kind_of_integer():
    assert pong(frame_skip=np.int64(2)) is pong(None, 2)


def test_the_registered_limit_ends_an_endless_rally():
    env = gymnasium.make_vec("hub:jax/Pong-v0", 2, max_episode_steps=7)
    env.reset(seed=0)
    ends = [env.step(np.zeros(2, int))[3].tolist() for _ in range(7)]
    assert ends == [[False, False]] * 6 + [[True, True]]
    assert gymnasium.spec("jax/Pong-v0").max_episode_steps == 10_000


def test_its_card_survives_json():
    card = hub.PLUGINS.registry.card("hub:jax/Pong-v0")
    assert hub.EnvCard.from_json(json.loads(json.dumps(card.to_json()))) == card


@pytest.mark.parametrize("compat", [None, PUFFER])
def test_its_pictures_are_those_of_c_pong(compat):
    need.module("hub_pong._core")
    for mode in ("rgb_array", "ansi"):
        options = {"compat": compat, "frame_skip": 5, "render_mode": mode}
        ours = gymnasium.make_vec("hub:jax/Pong-v0", 8, **options)
        theirs = gymnasium.make_vec("hub:native/Pong-v0", 8, **options)
        rng = np.random.default_rng(0)
        ours.reset(seed=1)
        theirs.reset(seed=1)
        for _ in range(200):
            actions = rng.integers(0, 3, 8)
            ours.step(actions)
            theirs.step(actions)
            for got, want in zip(ours.render(), theirs.render(), strict=True):
                np.testing.assert_array_equal(got, want)


def test_a_picture_shows_both_scores_of_two_digits():
    state = jax.device_get(pong().init(jax.random.key(0), None))
    none = pong_view.picture(state, None)
    many = pong_view.picture(dataclasses.replace(state, score_left=np.int32(20)), None)
    assert none.shape == (320, 290, 3)
    assert np.any(none[12:37, 85:105] != many[12:37, 85:105])
