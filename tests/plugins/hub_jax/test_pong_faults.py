"""The same fault, made in C Pong and in JAX Pong, is the same error in both.

Each case says what the message must hold: the value, what was expected, and the fix where the
expectation is not the fix already.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import hub
from tests import need

need.module("hub_pong")
need.module("jax")

IDS = ("hub:native/Pong-v0", "hub:jax/Pong-v0")
LANES = 3
KINDS = ("single", "vector")
CALM = [0] * LANES


def make(env_id, kind, **kwargs):
    if kind == "single":
        return gymnasium.make(env_id, **kwargs)
    return gymnasium.make_vec(env_id, num_envs=LANES, **kwargs)


def refused(env, error, words, call):
    """Check that `call` on `env` raises `error` itself, no subclass, with these words."""
    with pytest.raises(error, match=words) as caught:
        call(env)
    assert caught.type is error


def calm(kind):
    return 0 if kind == "single" else CALM


@pytest.fixture(params=IDS)
def env_id(request):
    return request.param


# ---- Actions -------------------------------------------------------------------------------------

SINGLE = r"expected .*0.* 2.*; nothing was stepped"
KIND = r"expected int64; nothing was stepped, give whole numbers"
SHAPE = r"expected shape \(3,\), one action for each lane; nothing was stepped"


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        (3, "3"),
        (-1, "-1"),
        (2**70, str(2**70)),
        (np.int64(7), "7"),
        (np.array(9), "9"),
        (1.0, r"1\.0"),
        (np.float32(1), r"np\.float32\(1\.0\)|1\.0"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (1j, "1j"),
        (np.True_, "np.True_|True"),
        ("x", "'x'"),
        (None, "None"),
        ([1], r"\[1\]"),
        (np.array([1]), r"array\(\[1\]\)"),
        ({}, "{}"),
    ],
)
def test_a_wrong_action_of_one_game_is_named(env_id, action, shown):
    env = make(env_id, "single")
    env.reset(seed=0)
    refused(env, hub.InvalidAction, f"^action ({shown}): {SINGLE}", lambda e: e.step(action))
    assert env.step(0)[1:4] == (0.0, False, False)


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0, 3, 1], f"^action 3 of lane 1: {SINGLE}"),
        ((0, 1, -1), f"^action -1 of lane 2: {SINGLE}"),
        (np.array([0, 2**40, 1]), f"^action {2**40} of lane 1: {SINGLE}"),
        (np.array([0, 1, 5], np.int8), f"^action 5 of lane 2: {SINGLE}"),
        (np.array([0, 2**63, 1], np.uint64), f"^action {2**63} of lane 1: expected .*; nothing"),
        ([0.0, 1.0, 2.0], f"^actions of dtype float64: {KIND}"),
        ([0.0, np.nan, 1.0], f"^actions of dtype float64: {KIND}"),
        ([0, 2**70, 1], f"^actions of dtype object: {KIND}"),
        (["a", "b", "c"], f"^actions of dtype <U1: {KIND}"),
        ([None] * LANES, f"^actions of dtype object: {KIND}"),
        (None, f"^actions of dtype object: {KIND}"),
        ([0, 1], rf"^actions of shape \(2,\): {SHAPE}"),
        ([0, 1, 2, 0], rf"^actions of shape \(4,\): {SHAPE}"),
        ([[0, 1, 2]], rf"^actions of shape \(1, 3\): {SHAPE}"),
        (1, rf"^actions of shape \(\): {SHAPE}"),
        ([[0], [1, 2], 0], r"^actions \[\[0\], \[1, 2\], 0\]: expected an array; give every lane"),
        (np.ma.array(CALM, mask=[0, 1, 0]), r"masked array: .*expected a plain.*filled\(value\)"),
    ],
)
def test_wrong_actions_of_many_games_are_named_with_their_lane(env_id, actions, words):
    env = make(env_id, "vector")
    env.reset(seed=0)
    refused(env, hub.InvalidAction, words, lambda e: e.step(actions))
    assert not env.step(CALM)[1].any()


# ---- The order of calls --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [False, True])
def test_a_step_before_reset_asks_for_a_reset(env_id, kind, wrong):
    action = {"single": 9, "vector": [0.5]}[kind] if wrong else calm(kind)
    words = r"^call reset\(\) before step\(\)$"
    refused(make(env_id, kind), ResetNeeded, words, lambda e: e.step(action))


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_or_snapshot_before_reset_asks_for_a_reset(env_id, kind):
    env = make(env_id, kind, render_mode="ansi")
    refused(env, ResetNeeded, r"^call reset\(\) before render\(\)$", lambda e: e.render())
    words = r"^call reset\(\) before snapshot\(\)$"
    refused(env, ResetNeeded, words, lambda e: e.unwrapped.snapshot())


def test_a_step_after_the_end_of_one_game_asks_for_a_reset(env_id):
    env = make(env_id, "single", frame_skip=8)
    env.reset(seed=0)
    while not any(env.step(0)[2:4]):
        pass
    refused(env, ResetNeeded, r"episode is over: call reset\(\)", lambda e: e.step(0))


def test_a_step_after_the_end_of_a_lane_asks_for_a_masked_reset(env_id):
    env = make(env_id, "vector", autoreset_mode="Disabled", max_episode_steps=1)
    env.reset(seed=0)
    env.step(CALM)
    words = r"lanes? .*0.* is disabled|autoreset is DISABLED"
    refused(env, ResetNeeded, words, lambda e: e.step(CALM))
    with pytest.raises(ResetNeeded, match=r"reset\(options=.*reset_mask.*terminated \| truncated"):
        env.step(CALM)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["ansi", None])
@pytest.mark.parametrize(
    "call",
    [
        lambda env, kind: env.step(calm(kind)),
        lambda env, kind: env.reset(seed=0),
        lambda env, kind: env.reset(seed=-1),
        lambda env, kind: env.reset(options={"x": 1}),
        lambda env, kind: env.step({"single": 9, "vector": [0.5]}[kind]),
        lambda env, kind: env.render(),
        lambda env, kind: env.unwrapped.snapshot(),
        lambda env, kind: env.unwrapped.restore(b""),
    ],
)
def test_every_call_after_close_says_that_it_is_closed(env_id, kind, mode, call):
    env = make(env_id, kind, render_mode=mode)
    env.reset(seed=0)
    env.close()
    env.close()
    refused(env, hub.ClosedError, "is closed; make a new one", lambda e: call(e, kind))


# ---- Resets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, ValueError), (2**64, ValueError), (1.5, TypeError), ("x", TypeError), (b"x", TypeError)],
)
def test_a_wrong_seed_is_named(env_id, kind, seed, error):
    words = rf"^seed {seed!r}: expected (a whole number from )?0 to 2\*\*64 - 1$"
    refused(make(env_id, kind), error, words, lambda e: e.reset(seed=seed))


@pytest.mark.parametrize(
    ("seeds", "error", "words"),
    [
        ([1], ValueError, "^1 seeds for num_envs=3: expected one per lane"),
        ([1] * 4, ValueError, "^4 seeds for num_envs=3: expected one per lane"),
        ([0, -1, 1], ValueError, "^seed -1: expected 0 to"),
        ([0, 1.5, 2], TypeError, "^seed 1.5: expected a whole number"),
        ([None, None, 2**64], ValueError, f"^seed {2**64}: expected 0 to"),
        ([[1], [2], [3]], TypeError, r"^seed \[1\]: expected a whole number"),
        (np.array([1.0, 2.0, 3.0]), TypeError, "1.0.*: expected a whole number"),
        ({1, 2, 3}, TypeError, "^seed {1, 2, 3}: expected a whole number"),
    ],
)
def test_a_wrong_list_of_seeds_is_named(env_id, seeds, error, words):
    refused(make(env_id, "vector"), error, words, lambda e: e.reset(seed=seeds))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"x": 1}, hub.UnknownOption, "no reset option x; (the only one is|this environment has)"),
        ([1], TypeError, r"reset options \[1\]: expected a dict of options or None"),
        ("x", TypeError, "reset options 'x': expected a dict of options or None"),
    ],
)
def test_wrong_reset_options_are_named(env_id, kind, options, error, words):
    env = make(env_id, kind)
    env.reset(seed=0)
    refused(env, error, words, lambda e: e.reset(options=options))


@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        ([True] * LANES, TypeError, "list: expected a numpy array of bool"),
        (np.ones(LANES, int), TypeError, "int64: expected a numpy array of bool"),
        (np.ones(2, bool), ValueError, r"shape \(2,\): expected \(3,\)"),
        (np.zeros(LANES, bool), ValueError, "selects no lane: expected at least one True"),
    ],
)
def test_a_wrong_reset_mask_is_named(env_id, mask, error, words):
    env = make(env_id, "vector")
    env.reset(seed=0)
    refused(env, error, words, lambda e: e.reset(options={"reset_mask": mask}))


def test_the_first_reset_must_reach_every_lane(env_id):
    env, all_of_them = make(env_id, "vector"), np.ones(LANES, bool)
    some = {"reset_mask": np.arange(LANES) == 0}
    words = r"selects 1 of 3 lanes before the first reset\(\): expected all.*without a mask first"
    refused(env, ResetNeeded, words, lambda e: e.reset(seed=0, options=some))
    env.reset(seed=0, options={"reset_mask": all_of_them})


# ---- Making --------------------------------------------------------------------------------------

FRAMES = "expected a whole number from 1 to 8$"
RULES = "expected None or 'puffer'$"
ONE_UP = "expected a whole number from 1 to "
MODES = "expected one of 'NextStep', 'SameStep', 'Disabled', or its name"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        *(({"frame_skip": v}, ValueError, FRAMES) for v in (0, 9, 1.0, True, "2", None)),
        *(({"compat": v}, ValueError, RULES) for v in ("x", 1, "", "Puffer", ["puffer"])),
    ],
)
def test_an_option_out_of_range_is_named(env_id, kind, kwargs, error, words):
    ((name, value),) = kwargs.items()
    shown = f"{name} {value!r}: ".replace("[", r"\[").replace("]", r"\]")
    refused(None, error, f"^{shown}{words}", lambda _: make(env_id, kind, **kwargs))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("frameskip", r"'frameskip' \(did you mean 'frame_skip'\?\); its options: .*frame_skip"),
        ("zzz", "'zzz'; its options: .*compat.*frame_skip.*render_mode"),
    ],
)
def test_an_unknown_option_is_named_with_the_known_ones(env_id, kind, name, words):
    words = f"^{env_id} got an unexpected keyword argument {words}"
    refused(None, hub.UnknownOption, words, lambda _: make(env_id, kind, **{name: 2}))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        *(("autoreset_mode", v, MODES) for v in ("x", 5, None, "next_step")),
        *(("max_episode_steps", v, ONE_UP) for v in (0, -2, 1.5, True, 2**64)),
        *(("render_mode", v, "expected one of 'rgb_array', 'ansi' or None$") for v in ("human", 5)),
    ],
)
def test_an_option_of_the_lanes_out_of_range_is_named(env_id, name, value, words):
    make_it = lambda _: make(env_id, "vector", **{name: value})  # noqa: E731
    refused(None, ValueError, f"^{name} {value!r}: {words}", make_it)


@pytest.mark.parametrize("value", [0, -1, 1.5, "3", True, 2**70])
def test_a_wrong_number_of_lanes_is_named(env_id, value):
    words = rf"^num_envs {value!r}: {ONE_UP}2\*\*63 - 1$"
    refused(None, ValueError, words, lambda _: gymnasium.make_vec(env_id, num_envs=value))


# ---- Snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, r"^NoneType is no snapshot: expected the bytes that snapshot\(\) returned"),
        ("x", r"^str is no snapshot: expected the bytes that snapshot\(\) returned"),
        (b"", r"^0 bytes that are no snapshot: expected snapshot\(\)'s bytes"),
        (b"x" * 100, r"^100 bytes that are no snapshot: expected snapshot\(\)'s bytes"),
    ],
)
def test_what_is_no_snapshot_is_named(env_id, kind, data, words):
    env = make(env_id, kind)
    env.reset(seed=0)
    refused(env, hub.SnapshotError, words, lambda e: e.unwrapped.restore(data))


# ---- Devices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["hub:jax/Pong-v0", "hub:jax/HalfCheetah-v0"])
def test_a_device_that_is_not_here_is_refused_by_make_and_not_by_reset(name, kind):
    words = r"^device 'gpu:64': expected None or one of .*'.*:0'.*leave device= out, or install"
    refused(None, hub.UnknownDevice, words, lambda _: make(name, kind, device="gpu:64"))
