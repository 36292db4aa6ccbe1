from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from hub.bench import Case
from hub.bench.measure import Subject
from hub.bench.subjects import SingleSteps, VectorSteps, build, find_spec
from hub.plugins import Plugins
from tests.hub.bench.toy import write_toy
from tests.plugin_site import PluginSite


@pytest.fixture
def toy(site: PluginSite, loaded: Callable[[], Plugins]) -> str:
    """An id that Gymnasium finds by importing the toy's module."""
    write_toy(site)
    loaded()
    return "toy_env:Toy-v0"


def counted(subject: Subject, batches: int) -> float:
    subject.advance(1)
    subject.prepare(10.0)
    return subject.advance(batches)


def test_autoreset_steps_are_not_counted(toy: str) -> None:
    # Four steps of every five are an episode's; SyncVectorEnv resets by NEXT_STEP.
    assert counted(build(Case("sync", lanes=8), toy), 100) == pytest.approx(
        100 * 8 * 4 / 5, rel=0.01
    )


def test_same_step_autoreset_counts_every_step(toy: str) -> None:
    env = gymnasium.make_vec(
        toy,
        8,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )
    assert counted(VectorSteps(Case("sync", lanes=8), env), 100) == 100 * 8


def test_a_single_environment_resets_itself_and_counts_every_step(toy: str) -> None:
    assert counted(build(Case("make"), toy), 10) == 10


def test_actions_are_sampled_beforehand_and_the_same_each_time(toy: str) -> None:
    seen: list[list[int]] = []
    for _ in range(2):
        taken: list[int] = []
        env = gymnasium.wrappers.TransformAction(
            gymnasium.make(toy), lambda a, taken=taken: taken.append(a) or a, None
        )
        SingleSteps(Case("make"), env).advance(200)
        seen.append(taken)
    assert seen[0] == seen[1]
    assert set(seen[0]) == {np.int64(0), np.int64(1)}


def wrappers(env: gymnasium.Env[object, object]) -> list[str]:
    names = []
    while isinstance(env, gymnasium.Wrapper):
        names.append(type(env).__name__)
        env = env.env
    return names


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("limit", [None, 7])
def test_another_environment_gets_the_wrappers_of_the_measured_one(
    toy: str, checked: bool, limit: int | None
) -> None:
    spec = find_spec(toy)
    spec.disable_env_checker, spec.order_enforce = not checked, checked
    spec.max_episode_steps = limit
    subject = build(Case("make", "CartPole-v1"), toy)
    assert isinstance(subject, SingleSteps)
    assert wrappers(subject._env) == wrappers(gymnasium.make(toy))
    assert subject._env.unwrapped.spec is not None
    assert gymnasium.spec("CartPole-v1").max_episode_steps == 500
