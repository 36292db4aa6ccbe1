"""HalfCheetah through Gymnasium, beside Gymnasium's own."""

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import hub  # noqa: F401  # registers the ids
from tests import need

ID = "hub:jax/HalfCheetah-v0"


@pytest.fixture(scope="module")
def single():
    env = gymnasium.make(ID, dtype="float64")
    yield env
    env.close()


@pytest.fixture(scope="module")
def reference():
    need.module("mujoco")
    env = gymnasium.make("HalfCheetah-v5")
    yield env
    env.close()


def test_it_looks_like_gymnasiums(single, reference):
    assert single.observation_space == reference.observation_space
    assert single.action_space == reference.action_space
    assert single.spec.max_episode_steps == reference.spec.max_episode_steps
    assert single.metadata["render_fps"] == reference.metadata["render_fps"]
    ours, theirs = single.reset(seed=0), reference.reset(seed=0)
    assert ours[0].dtype == theirs[0].dtype
    assert set(ours[1]) == set(theirs[1])
    action = np.zeros(6, np.float32)
    assert set(single.step(action)[4]) == set(reference.step(action)[4])


def test_twenty_steps_from_one_state_equal_gymnasiums(single, reference):
    rng = np.random.default_rng(1)
    for env in (single, reference):
        env.reset(seed=0)
        start = np.random.default_rng(2).uniform(-0.1, 0.1, (2, 9))
        env.unwrapped.set_state(*start)
    for _ in range(20):
        action = rng.uniform(-1.5, 1.5, 6).astype(np.float32)
        ours, theirs = single.step(action), reference.step(action)
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-7)
        # Gymnasium squares a float32 action in float32.
        assert ours[1] == pytest.approx(theirs[1], abs=1e-5)
        for name, value in theirs[4].items():
            assert ours[4][name] == pytest.approx(value, abs=1e-5), name


def test_the_weights_weigh():
    weights = {"forward_reward_weight": 2.0, "ctrl_cost_weight": 0.5, "reset_noise_scale": 0.0}
    env = gymnasium.make(ID, dtype="float64", **weights)
    observation, info = env.reset(seed=0)
    assert not observation.any()
    action = np.full(6, 2.0, np.float32)  # charged as given, not as clipped
    _, reward, _, _, info = env.step(action)
    assert info["reward_forward"] == pytest.approx(2.0 * info["x_velocity"], rel=1e-6)
    assert info["reward_ctrl"] == pytest.approx(-0.5 * 24.0, rel=1e-6)
    assert reward == pytest.approx(info["reward_forward"] + info["reward_ctrl"], rel=1e-6)
    env.close()


@pytest.mark.parametrize(
    ("option", "value"), [("reset_noise_scale", -0.1), ("ctrl_cost_weight", float("nan"))]
)
def test_a_bad_weight_is_named(option, value):
    with pytest.raises(ValueError, match=f"{option} is {value}: expected"):
        gymnasium.make(ID, **{option: value})


def test_set_state_is_what_the_next_step_starts_from(single):
    single.reset(seed=0)
    qpos, qvel = np.array([7.0, 5.0, 0.3, *np.zeros(6)]), np.zeros(9)  # springs at rest
    single.unwrapped.set_state(qpos, qvel)
    state = single.unwrapped.lane_state
    assert (state.qpos == qpos).all()
    assert (state.qvel == qvel).all()
    observation, *_ = single.step(np.zeros(6, np.float32))
    fall = 9.81 * 0.01**2 * (1 + 2 + 3 + 4 + 5)
    assert observation[0] == pytest.approx(5.0 - fall, abs=1e-12)
    assert observation[8:] == pytest.approx([0.0, -9.81 * 0.05, *np.zeros(7)], abs=1e-12)


@pytest.mark.parametrize(
    ("qpos", "qvel", "name"),
    [(np.zeros(8), np.zeros(9), "qpos"), (np.zeros(9), np.full(9, np.nan), "qvel")],
)
def test_set_state_names_what_is_wrong(single, qpos, qvel, name):
    single.reset(seed=0)
    with pytest.raises(ValueError, match=f"{name} is .*expected 9 finite numbers"):
        single.unwrapped.set_state(qpos, qvel)


def test_set_state_needs_a_reset():
    env = gymnasium.make(ID).unwrapped
    with pytest.raises(ResetNeeded, match="reset"):
        env.set_state(np.zeros(9), np.zeros(9))


def test_gymnasiums_checker_passes():
    with pytest.warns(UserWarning, match="infinity"):  # Gymnasium dislikes unbounded boxes
        check_env(gymnasium.make(ID).unwrapped, skip_render_check=True)


def test_the_reset_distribution_is_gymnasiums(reference):
    need.module("scipy")
    from scipy import stats

    ours = gymnasium.make_vec(ID, 2048, autoreset_mode=AutoresetMode.DISABLED)
    inner, theirs = reference.unwrapped, []
    for seed in range(2048):
        inner.reset(seed=seed)
        theirs.append(np.concatenate([inner.data.qpos, inner.data.qvel]))
    ours.reset(seed=10_000)
    state = jax.device_get(ours.unwrapped._carry.state)
    mine, theirs = np.concatenate([state.qpos, state.qvel]).T, np.array(theirs)
    # 18 components, three tests each, family-wise 1e-3.
    for column in range(18):
        a, b = mine[:, column], theirs[:, column]
        for test in (stats.ks_2samp(a, b), stats.ttest_ind(a, b), stats.levene(a, b)):
            assert test.pvalue > 1e-3 / 54, column
    assert np.abs(mine[:, :9]).max() <= 0.1
    again = np.corrcoef(mine.T) - np.eye(18)
    assert np.abs(again).max() < 0.12, "components are independent"


def test_every_lane_and_every_episode_starts_elsewhere():
    env = gymnasium.make_vec(ID, 8, max_episode_steps=1, autoreset_mode=AutoresetMode.SAME_STEP)
    seen = [env.reset(seed=0)[0]]
    for _ in range(3):
        observation, _, _, truncated, infos = env.step(np.zeros((8, 6), np.float32))
        assert truncated.all()
        assert (infos["final_obs"][0] != observation[0]).any()
        seen.append(observation)
    starts = np.concatenate(seen)
    assert len(np.unique(starts[:, 0])) == len(starts)
    assert np.std(starts, axis=0).min() > 0.03


def test_a_float32_episode_is_statistically_the_float64_one():
    """Seeds differ by design; the mean reward of 256 lanes over 50 random steps must not."""
    means = []
    for dtype in ("float32", "float64"):
        env = gymnasium.make_vec(ID, 256, dtype=dtype, autoreset_mode=AutoresetMode.DISABLED)
        env.reset(seed=0)
        rng, total = np.random.default_rng(0), np.zeros(256)
        for _ in range(50):
            total += env.step(rng.uniform(-1, 1, (256, 6)).astype(np.float32))[1]
        means.append((total.mean(), total.std() / 16.0))
    gap = abs(means[0][0] - means[1][0])
    assert gap < 4.0 * np.hypot(means[0][1], means[1][1])
