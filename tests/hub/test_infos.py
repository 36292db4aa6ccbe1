from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import hub
from hub.infos import lane_info


class Labelled(gymnasium.Env[Any, Any]):
    """Ends after three steps; every observation and info says where it is."""

    observation_space = gymnasium.spaces.Dict(
        {"t": gymnasium.spaces.Box(0, 9, (1,), np.float32), "n": gymnasium.spaces.Discrete(9)}
    )
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.t = 0
        return self._observe(), {"start": True}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.t += 1
        return self._observe(), 1.0, self.t == 3, False, {"at": self.t, "deep": {"t2": 2 * self.t}}

    def _observe(self) -> dict[str, Any]:
        return {"t": np.full(1, self.t, np.float32), "n": self.t}


def ended(mode: AutoresetMode) -> tuple[Any, dict[str, Any]]:
    env = gymnasium.vector.SyncVectorEnv([Labelled] * 2, autoreset_mode=mode)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)  # type: ignore[assignment]  # a wrapper is used as its environment
    env.reset(seed=0)
    for _ in range(3):
        observations, _, terminations, _, infos = env.step(np.zeros(2, np.int64))
    assert terminations.all()
    return observations, infos


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_final_transition_is_the_same_in_every_autoreset_mode(mode: AutoresetMode) -> None:
    observations, infos = ended(mode)
    last = hub.final_transition(infos, 1, observations)
    assert (last.observation["t"].tolist(), int(last.observation["n"])) == ([3.0], 3)
    assert (last.info["at"], last.info["deep"]) == (3, {"t2": 6})
    assert (last.info["episode"]["r"], last.info["episode"]["l"]) == (3.0, 3)
    assert "start" not in last.info


def test_same_step_needs_no_observations() -> None:
    assert hub.final_transition(ended(AutoresetMode.SAME_STEP)[1], 0).info["at"] == 3


def test_other_modes_without_observations_are_an_error_with_the_fix() -> None:
    with pytest.raises(ValueError, match="autoreset_mode='SameStep'"):
        hub.final_transition(ended(AutoresetMode.NEXT_STEP)[1], 0)


def test_a_lane_that_goes_on_has_no_final_transition() -> None:
    infos = {"final_obs": np.array([None, 1], object), "_final_obs": np.array([False, True])}
    with pytest.raises(ValueError, match="lane 0 did not end"):
        hub.final_transition(infos, 0)


def test_an_entry_belongs_to_the_lanes_of_its_mask() -> None:
    infos = {"a": np.array([1, 0]), "_a": np.array([True, False]), "b": np.array([3, 4])}
    assert lane_info(infos, 0) == {"a": 1, "b": 3}
    assert lane_info(infos, 1) == {"b": 4}


CODE = """
import hashlib, gymnasium, numpy, hub
single, vector = gymnasium.make("CartPole-v1"), gymnasium.make_vec("CartPole-v1", 4)
found = []
for env in (single, vector):
    found.append(hub.seed_everything(env, 11)[0])
    found += [env.action_space.sample() for _ in range(20)]
    found.append(env.observation_space.sample())
print(hashlib.sha256(b"".join(numpy.asarray(x).tobytes() for x in found)).hexdigest())
"""


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (-3, ValueError),
        (1 << 64, ValueError),
        ("a", TypeError),
        (1.5, TypeError),
        (True, TypeError),
    ],
)
def test_seeding_everything_refuses_a_bad_seed_in_the_words_of_reset(
    seed: Any, error: type[Exception]
) -> None:
    env = gymnasium.make("CartPole-v1")
    with pytest.raises(error, match=r"seed .*: expected .*0 to 2\*\*64 - 1"):
        hub.seed_everything(env, seed)


def test_seeding_everything_repeats_sampled_actions_in_another_process() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout != ""


def test_another_seed_gives_other_actions_and_global_generators_are_left_alone() -> None:
    env = gymnasium.make("CartPole-v1")
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # the legacy state is a tuple
    drawn = []
    for seed in (1, 2):
        hub.seed_everything(env, seed)
        drawn.append([int(env.action_space.sample()) for _ in range(40)])
    assert drawn[0] != drawn[1]
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # type: ignore[index]  # as above
