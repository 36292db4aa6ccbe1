import pickle

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from hub.errors import ClosedError, InvalidAction, UnknownDevice, UnknownOption
from hub.functional import FunctionalSingleEnv, FunctionalVectorEnv
from tests.hub.functional.games import duel, script, walk

MODES = list(AutoresetMode)


def vector(mode, lanes=3, **options):
    return FunctionalVectorEnv(script(), lanes, autoreset_mode=mode, **options)


def sync(mode, lanes=3, **options):
    return SyncVectorEnv(
        [lambda: FunctionalSingleEnv(script(), **options)] * lanes, autoreset_mode=mode
    )


def assert_same(got, want, path="result"):
    assert type(got) is type(want), f"{path}: {type(got)}, not {type(want)}"
    if isinstance(want, dict):
        assert set(got) == set(want), path
        for key in want:
            assert_same(got[key], want[key], f"{path}[{key!r}]")
    elif isinstance(want, tuple):
        for place, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_same(a, b, f"{path}[{place}]")
    elif isinstance(want, np.ndarray) and want.dtype == object:
        for lane, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_same(a, b, f"{path}[{lane}]")
    elif isinstance(want, np.ndarray):
        assert got.dtype == want.dtype, f"{path}: {got.dtype}, not {want.dtype}"
        np.testing.assert_array_equal(got, want, path)
    else:
        assert got == want, path


@pytest.mark.parametrize("limit", [None, 2])
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_does_what_gymnasium_does_with_single_environments(mode, limit):
    ours, theirs = vector(mode, max_episode_steps=limit), sync(mode, max_episode_steps=limit)
    assert_same(ours.reset(seed=7), theirs.reset(seed=7))
    over = np.zeros(3, bool)
    for step in range(9):
        if mode is AutoresetMode.DISABLED and over.any():
            options = {"reset_mask": over}
            assert_same(ours.reset(options=dict(options)), theirs.reset(options=dict(options)))
        if step == 4:  # a manual reset in the middle clears whatever was pending
            assert_same(ours.reset(), theirs.reset())
        actions = np.array([0, 1, step % 2])
        got, want = ours.step(actions), theirs.step(actions)
        assert_same(got, want, f"step {step}")
        over = got[2] | got[3]


def test_lanes_end_apart_and_only_those_in_the_mask_are_reset():
    env = vector(AutoresetMode.DISABLED)
    env.reset(seed=0)
    env.step(np.zeros(3, int))
    options = {"reset_mask": np.array([False, True, False])}
    observation, infos = env.reset(options=options)
    assert observation[:, 0].tolist() == [1, 0, 1]
    assert infos["_name"].tolist() == [False, True, False]
    assert list(options) == ["reset_mask"]
    env.step(np.zeros(3, int))
    terminated = env.step(np.zeros(3, int))[2]
    assert terminated.tolist() == [True, False, True]
    with pytest.raises(ResetNeeded, match=r"lanes \[0, 2\] have ended"):
        env.step(np.zeros(3, int))


@pytest.mark.parametrize("mode", MODES)
def test_a_lane_lives_through_the_same_episodes_in_every_mode(mode):
    env, names = vector(mode, lanes=2), []
    observation, _ = env.reset(seed=[11, 4])
    for _ in range(12):
        names += [n for n in observation[:, 1].tolist() if n not in names]
        observation, _, terminated, truncated, _ = env.step(np.zeros(2, int))
        over = terminated | truncated
        if mode is AutoresetMode.DISABLED and over.any():
            observation, _ = env.reset(options={"reset_mask": over})
    single = FunctionalSingleEnv(script())
    alone = [single.reset(seed=11)[0][1]] + [single.reset()[0][1] for _ in range(2)]
    assert names[0:6:2] == alone
    assert len(set(names[:6])) == 6, "each episode of each lane has its own reset"


def test_a_seed_for_some_lanes_leaves_the_streams_of_the_others():
    env = vector(AutoresetMode.NEXT_STEP)
    first, _ = env.reset(seed=5)
    mixed, _ = env.reset(seed=[None, 5, None])
    again, _ = vector(AutoresetMode.NEXT_STEP).reset(seed=5)
    np.testing.assert_array_equal(first, again)
    assert mixed[1, 1] == first[0, 1]
    assert not set(mixed[[0, 2], 1]) & set(first[:, 1])


def test_the_seed_fixes_the_episode_whatever_came_before():
    env = vector(AutoresetMode.SAME_STEP)
    env.reset(seed=42)
    for _ in range(5):
        env.step(np.ones(3, int))
    np.testing.assert_array_equal(
        env.reset(seed=43)[0], vector(AutoresetMode.SAME_STEP).reset(seed=43)[0]
    )
    assert np.any(env.reset(seed=43)[0] != env.reset()[0])


def test_reset_states_are_spread_over_lanes_and_episodes():
    env = FunctionalVectorEnv(walk(), 256)
    one, two = env.reset(seed=0)[0], env.reset()[0]
    for sample in (one, two, one - two):
        assert np.all(np.abs(sample.mean(0)) < 0.4)
        assert np.all(sample.std(0) > 0.8)


@pytest.mark.parametrize("arrays", ["numpy", "device"])
def test_what_was_handed_out_is_not_touched_by_later_steps(arrays):
    env = FunctionalVectorEnv(script(), 4, arrays=arrays)
    seen = [env.reset(seed=1)[0]]
    copies = [np.array(seen[0])]
    for _ in range(5):
        seen.append(env.step(np.zeros(4, int))[0])
        copies.append(np.array(seen[-1]))
    for got, want in zip(seen, copies, strict=True):
        np.testing.assert_array_equal(got, want)
    assert arrays == "device" or all(array.flags.writeable for array in seen)


def test_device_arrays_stay_on_the_device_with_fixed_info():
    env = vector(AutoresetMode.SAME_STEP, arrays="device", device="cpu:0")
    host = vector(AutoresetMode.SAME_STEP)
    env.reset(seed=3)
    host.reset(seed=3)
    for _ in range(4):
        got, want = env.step(np.ones(3, int)), host.step(np.ones(3, int))
        assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(got))
        assert {"count", "name", "final_obs", "final_info"} <= set(got[4])
        for a, b in zip(got[:4], want[:4], strict=True):
            np.testing.assert_array_equal(a, b)
    assert got[0].devices() == {jax.devices("cpu")[0]}


def test_single_and_batch_precision_live_in_one_process():
    wide = jax.config.jax_enable_x64
    envs = {d: FunctionalVectorEnv(walk(d), 2) for d in ("float32", "float64")}
    for dtype, env in envs.items():
        assert env.reset(seed=0)[0].dtype == dtype
    for _ in range(3):
        for dtype, env in envs.items():
            got = env.step(np.zeros((2, 2)))
            assert got[0].dtype == dtype
            assert env._carry.state.place.dtype == dtype
            assert got[1].dtype == np.float64
    assert jax.config.jax_enable_x64 == wide
    assert jax.numpy.zeros(1).dtype == (np.float64 if wide else np.float32)


@pytest.mark.parametrize(
    ("actions", "error", "words"),
    [
        (np.array([0, 1, 2]), InvalidAction, "action 2 of lane 2"),
        (np.array([0, 1]), InvalidAction, r"shape \(2,\): expected shape \(3,\)"),
        (np.array([0.0, 1.0, 0.0]), InvalidAction, "dtype float64: expected int64"),
    ],
)
def test_bad_actions_are_named_and_nothing_is_stepped(actions, error, words):
    env = vector(AutoresetMode.NEXT_STEP)
    env.reset(seed=0)
    with pytest.raises(error, match=words):
        env.step(actions)
    assert env.step(np.zeros(3, int))[0][:, 0].tolist() == [1, 1, 1]


def test_masked_actions_are_refused():
    env = vector(AutoresetMode.NEXT_STEP)
    env.reset(seed=0)
    with pytest.raises(InvalidAction, match="masked array"):
        env.step(np.ma.array([0, 1, 0], mask=[True, False, False]))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_among_continuous_actions_is_named(value):
    env = FunctionalVectorEnv(walk(), 2)
    env.reset(seed=0)
    with pytest.raises(InvalidAction, match=f"action {value} of lane 1: expected a finite number"):
        env.step(np.array([[0, 0], [0, value]], np.float32))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_envs": 0}, "num_envs 0: expected"),
        ({"num_envs": True}, "num_envs True: expected"),
        ({"arrays": "torch"}, "arrays 'torch': expected"),
        ({"render_mode": "human"}, "render_mode 'human': expected one of 'rgb_array'"),
        ({"max_episode_steps": 0}, "max_episode_steps 0: expected"),
        ({"max_episode_steps": 2.5}, "max_episode_steps 2.5: expected"),
        ({"autoreset_mode": "Later"}, "autoreset_mode 'Later': expected one of"),
    ],
)
def test_a_bad_option_is_named(options, words):
    with pytest.raises(ValueError, match=words):
        FunctionalVectorEnv(script(), **options)


def test_a_game_of_two_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"duel has 2 players.*hub\.functional\.rollout"):
        FunctionalVectorEnv(duel(True), 2)


def test_an_unknown_device_names_those_that_there_are():
    with pytest.raises(
        UnknownDevice, match=r"device 'tpu:3': expected .*'cpu:0'.*leave device= out"
    ):
        FunctionalVectorEnv(script(), device="tpu:3")


@pytest.mark.parametrize("make", [FunctionalVectorEnv, FunctionalSingleEnv])
@pytest.mark.parametrize("device", ["", "cpu:", "cpu:-1", "cpu:x", "CPU", "cpu:99", 0, b"cpu"])
def test_what_is_no_device_is_refused_when_the_environment_is_made(make, device):
    with pytest.raises(UnknownDevice, match=r"device .*: expected .*'cpu:0'"):
        make(script(), device=device)


def test_misuse_is_an_error_that_says_what_to_do():
    env = vector(AutoresetMode.NEXT_STEP)
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before step"):
        env.step(np.zeros(3, int))
    with pytest.raises(UnknownOption, match="no reset option speed"):
        env.reset(options={"speed": 3})
    with pytest.raises(ResetNeeded, match="selects 1 of 3 lanes before the first reset"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    env.close()
    with pytest.raises(ClosedError, match="this environment is closed; make a new one"):
        env.reset()


def test_pictures_come_lane_by_lane():
    env = vector(AutoresetMode.NEXT_STEP, render_mode="rgb_array")
    env.reset(seed=0)
    env.step(np.zeros(3, int))
    frames = env.render()
    assert len(frames) == 3
    assert all(frame.shape == (4, 4, 3) and frame.max() == 1 for frame in frames)


def test_gymnasiums_wrappers_count_episodes_in_same_step_mode():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(vector(AutoresetMode.SAME_STEP))
    env.reset(seed=0)
    for _ in range(3):
        infos = env.step(np.zeros(3, int))[4]
    assert infos["episode"]["l"].tolist() == [3, 3, 3]
    assert infos["episode"]["r"].tolist() == [6, 6, 6]


def test_a_pickled_copy_goes_on_from_the_same_place():
    env = FunctionalVectorEnv(walk(), 2)
    env.reset(seed=0)
    copy = pickle.loads(pickle.dumps(env))
    action = np.full((2, 2), 0.1, np.float32)
    np.testing.assert_array_equal(copy.step(action)[0], env.step(action)[0])


def test_a_step_and_a_reset_take_over_the_buffers_of_the_state_before():
    env = FunctionalVectorEnv(script(), 8)
    env.reset(seed=0)
    for change in (lambda: env.step(np.zeros(8, int)), lambda: env.reset(seed=1)):
        before = jax.tree.leaves(env._carry)
        change()
        given = [leaf.is_deleted() for leaf in before]
        assert all(given), given
        assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(env._carry))
