"""The vector contract, over the C core of Pong; Gymnasium's SyncVectorEnv is the oracle."""

from __future__ import annotations

import copy
import os
import pickle
import threading
import time

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import hub
from tests.hub.pong_lanes import LANES, MODES, actions_for, make, pong, same

# ---- Seeds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 7, np.int64(9), 2**64 - 2])
def test_lane_i_is_the_single_environment_with_seed_plus_i(seed):
    env, single = make(limit=None), pong.PongEnv(frame_skip=8)
    rows, _ = env.reset(seed=seed)
    single.reset(seed=(int(seed) + 3) % 2**64)
    for actions in actions_for(env, 100):
        rows, rewards, *_ = env.step(actions)
        row, reward, *_ = single.step(actions[3])
        assert rows[3].tobytes() == row.tobytes()
        assert rewards[3] == reward


def test_a_list_seeds_each_lane_and_none_goes_on_with_its_stream():
    env, other = make(), make()
    env.reset(seed=50)
    first, _ = env.reset(seed=[4, None, 4, None, 9])
    other.reset(seed=50)
    goes_on, _ = other.reset()
    assert np.array_equal(first[[1, 3]], goes_on[[1, 3]])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[0], pong.PongEnv(frame_skip=8).reset(seed=4)[0])


def test_reset_without_a_seed_goes_on_and_does_not_replay():
    env = make(lanes=64)
    starts = [env.reset(seed=3)[0], *(env.reset()[0] for _ in range(4))]
    assert len({start.tobytes() for start in starts}) == 5
    assert np.array_equal(env.reset(seed=3)[0], starts[0])


def test_without_any_seed_two_environments_start_differently():
    assert make(lanes=128).reset()[0].tobytes() != make(lanes=128).reset()[0].tobytes()


def test_starts_vary_over_lanes_and_episodes():
    env = make(lanes=256)
    assert env.reset(seed=0)[0].var(axis=0)[[2, 4, 5]].min() > 0
    assert env.reset()[0].var(axis=0)[[2, 4, 5]].min() > 0


def test_np_random_follows_the_seed():
    env = make()
    env.reset(seed=5)
    assert env.np_random_seed == 5
    assert env.np_random.random() == gymnasium.utils.seeding.np_random(5)[0].random()


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), (2**64, ValueError), (1.5, TypeError), ([1], ValueError)]
)
def test_a_bad_seed_is_refused(seed, error):
    with pytest.raises(error, match="expected"):
        make().reset(seed=seed)


# ---- Threads, buffers, arguments -----------------------------------------------------------------


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_results_do_not_depend_on_the_thread_count(mode):
    envs = [make(mode, lanes=101, num_threads=threads) for threads in (1, 2, 3, 16)]
    for env in envs:
        env.reset(seed=1)
    for actions in actions_for(envs[0], 300):
        first, *others = (env.step(actions) for env in envs)
        for other in others:
            same(first, other)


def test_thread_count_follows_the_batch_and_the_usable_cores():
    cores = len(os.sched_getaffinity(0))
    assert make(lanes=64).num_threads == 1
    assert make(lanes=65_536).num_threads == min(cores, 64)
    assert make(lanes=2, num_threads=9).num_threads == 2


def test_outputs_are_fresh_by_default_and_the_buffers_with_copy_false():
    for copies in (True, False):
        env = make(copy=copies)
        first = (env.reset(seed=0)[0], *env.step(np.ones(LANES, int))[:4])
        second = env.step(np.ones(LANES, int))[:4]
        shared = [np.shares_memory(a, b) for a in first for b in second if a.shape == b.shape]
        assert any(shared) is not copies


def test_dtypes_and_spaces_are_what_gymnasium_users_expect():
    env = make()
    assert env.reset(seed=0)[0] in env.observation_space
    observations, rewards, terminations, truncations, infos = env.step(env.action_space.sample())
    assert observations in env.observation_space
    assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, bool, bool)
    assert infos == {}


@pytest.mark.parametrize(
    "kind", [list, np.int8, np.uint64, lambda a: np.stack([a, a], axis=1)[:, 1]]
)
def test_actions_may_be_lists_small_integers_or_strided(kind):
    env, other = make(), make()
    env.reset(seed=0), other.reset(seed=0)
    for actions in actions_for(env, 5):
        same(env.step(kind(actions)), other.step(actions))


@pytest.mark.parametrize(
    ("actions", "error", "words"),
    [
        ([0, 1, 2, 3, 0], hub.InvalidAction, "action 3 of lane 3"),
        ([0, 1, -1, 0, 0], hub.InvalidAction, "action -1 of lane 2"),
        (np.array([0, 1, 2**63, 0, 0], np.uint64), hub.InvalidAction, f"action {2**63} of lane 2"),
        (np.ma.array([0, 1, 2, 0, 0], mask=[1, 0, 0, 0, 0]), hub.InvalidAction, "masked array"),
        ([0, 1, 2], hub.InvalidAction, r"shape \(5,\)"),
        ([[0], [1], [2], [0], [0]], hub.InvalidAction, r"shape \(5,\)"),
        ([0.0, 1.0, 2.0, 1.0, float("nan")], hub.InvalidAction, "float64: expected int64"),
    ],
)
def test_bad_actions_are_refused_and_no_lane_moves(actions, error, words):
    env = make()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(error, match=words):
        env.step(actions)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    "options",
    [
        {"lanes": 0},
        {"limit": 0},
        {"limit": -1},
        {"limit": 2.5},
        {"limit": True},
        {"limit": 2**64},
        {"lanes": True},
        {"num_threads": 0},
        {"num_threads": 1.5},
        {"num_threads": 2**31},
        {"frame_skip": True},
        {"frame_skip": 9},
        {"copy": "no"},
        {"mode": "Sometimes"},
        {"render_mode": "human"},
    ],
)
def test_a_bad_argument_is_refused(options):
    with pytest.raises(ValueError, match=r"expected|not a valid"):
        make(**options)


def test_numpy_integers_are_as_good_as_pythons():
    two, eight = np.int64(2), np.uint8(8)
    env = make(lanes=two, limit=two, num_threads=two, frame_skip=eight, copy=np.True_)
    other = make(lanes=2, limit=2, num_threads=2, frame_skip=8)
    same(env.reset(seed=0), other.reset(seed=0))
    for actions in actions_for(other, 4):
        same(env.step(actions), other.step(actions))
    assert type(env.num_envs) is int
    pickle.loads(pickle.dumps(env)).step(np.zeros(2, int))


def test_a_long_step_lets_other_threads_of_python_run():
    env = make(lanes=1_000_000, limit=None, num_threads=1)
    env.reset(seed=0)
    actions = np.ones(1_000_000, int)
    ticks, over = [], threading.Event()

    def tick():
        while not over.wait(0.0005):
            ticks.append(time.perf_counter())

    other = threading.Thread(target=tick)
    other.start()
    within = []
    for _ in range(10):
        start = time.perf_counter()
        env.step(actions)
        tenth = (time.perf_counter() - start) / 10
        within.append(sum(start + tenth < at < start + 9 * tenth for at in ticks))
    over.set()
    other.join()
    assert max(within) >= 3, within


def test_step_before_reset_is_refused():
    with pytest.raises(ResetNeeded, match="reset"):
        make().step(np.zeros(LANES, int))
    with pytest.raises(ResetNeeded, match="selects 1 of 5 lanes before the first reset"):
        make().reset(options={"reset_mask": np.arange(LANES) == 0})


# ---- reset_mask ----------------------------------------------------------------------------------


def test_reset_mask_leaves_the_callers_options_alone():
    options = {"reset_mask": np.arange(LANES) < 2}
    env = make(AutoresetMode.DISABLED)
    env.reset(seed=0)
    env.reset(options=options)
    assert options["reset_mask"].tolist() == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"reset_mask": [True] * LANES}, TypeError, "list: expected a numpy array of bool"),
        ({"reset_mask": np.ones(LANES)}, TypeError, "float64: expected"),
        ({"reset_mask": np.ones(3, bool)}, ValueError, r"shape \(3,\): expected \(5,\)"),
        ({"reset_mask": np.zeros(LANES, bool)}, ValueError, "at least one True"),
        ({"mask": 1}, hub.UnknownOption, "no reset option mask; the only one is reset_mask"),
    ],
)
def test_a_bad_reset_mask_is_refused(options, error, words):
    env = make()
    env.reset(seed=0)
    with pytest.raises(error, match=words):
        env.reset(options=options)


# ---- Snapshots and copies ------------------------------------------------------------------------


@pytest.mark.parametrize("compat", [None, "puffer"])
@pytest.mark.parametrize("mode", MODES)
def test_restoring_goes_on_exactly_as_going_on(mode, compat):
    env = make(mode, limit=None, compat=compat)
    env.reset(seed=0)
    actions = actions_for(env, 120)
    for row in actions[:40]:
        env.step(row)
    data = env.snapshot()
    went_on = [env.step(row) for row in actions[40:]]
    observed = env.restore(data)
    assert observed.shape == (LANES, 8)
    same(tuple(env.step(row) for row in actions[40:]), tuple(went_on))


def test_a_partial_reset_after_restoring_keeps_the_other_lanes_observations():
    env = make(AutoresetMode.DISABLED)
    env.reset(seed=0)
    observations = env.step(np.ones(LANES, int))[0]
    data = env.snapshot()
    other = make(AutoresetMode.DISABLED)
    assert np.array_equal(other.restore(data), observations)
    rows, _ = other.reset(options={"reset_mask": np.arange(LANES) == 0})
    assert np.array_equal(rows[1:], observations[1:])


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_pickled_or_copied_environment_goes_on_by_itself(clone):
    env = make()
    env.reset(seed=0)
    env.step(np.ones(LANES, int))
    twin = clone(env)
    for actions in actions_for(env, 50):
        same(env.step(actions), twin.step(actions))
    env.close()
    twin.step(np.ones(LANES, int))
    clone(make()).reset(seed=0)


def test_a_snapshot_of_another_configuration_is_refused():
    env = make()
    env.reset(seed=0)
    with pytest.raises(hub.SnapshotError, match=r"frame_skip=8.*frame_skip=4"):
        make(frame_skip=4).restore(env.snapshot())


def test_snapshot_before_reset_is_refused():
    with pytest.raises(ResetNeeded, match="before snapshot"):
        make().snapshot()


# ---- make_vec and rendering ---------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync", "async"])
def test_make_vec_passes_the_episode_limit_and_sets_the_spec(mode):
    # Spawned, as another test may have loaded JAX, after which nobody may fork.
    options = {"vector_kwargs": {"context": "spawn"}} if mode == "async" else {}
    env = gymnasium.make_vec(
        "hub:native/Pong-v0", num_envs=3, vectorization_mode=mode, max_episode_steps=7, **options
    )
    env.reset(seed=0)
    cut = [env.step(np.zeros(3, int))[3].all() for _ in range(7)]
    assert cut == [False] * 6 + [True]
    assert env.unwrapped.spec.id == "native/Pong-v0"
    env.close()


def test_the_spec_may_be_set_by_whoever_made_it():
    spec = copy.deepcopy(gymnasium.spec("native/Pong-v0"))
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(make())
    for env in (pong.PongEnv(), make(), wrapped):
        env.unwrapped.spec = spec
        assert env.unwrapped.spec is spec
        assert env.spec.id == "native/Pong-v0"


def test_make_vec_takes_every_option_as_json():
    spec = copy.deepcopy(gymnasium.spec("native/Pong-v0"))
    options = {"autoreset_mode": "SameStep", "compat": "puffer", "copy": False, "num_threads": 1}
    spec.kwargs.update(options)
    spec = type(spec).from_json(spec.to_json())
    env = gymnasium.make_vec(spec, num_envs=2)
    assert env.unwrapped.autoreset_mode is AutoresetMode.SAME_STEP
    assert spec.kwargs == options
    env.close()


def test_render_gives_one_frame_per_lane():
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    frames = env.render()
    assert [frame.shape for frame in frames] == [(320, 290, 3)] * LANES
    assert make(render_mode=None).num_envs == LANES


def test_record_episode_statistics_works_in_every_mode():
    for mode in MODES:
        env = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(mode, limit=3))
        env.reset(seed=0)
        for _ in range(3):
            infos = env.step(np.zeros(LANES, int))[-1]
        assert infos["episode"]["l"].tolist() == [3] * LANES
