from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import hub
from hub.play import AgentError, PlayError, agent, episode, make


def cartpole() -> gymnasium.Env[np.ndarray, int]:
    return gymnasium.make("CartPole-v1")


def test_an_episode_starts_with_the_reset_and_ends_at_its_end() -> None:
    env = cartpole()
    steps = list(episode(env, lambda observation, info: 0, seed=0, limit=100))
    np.testing.assert_array_equal(steps[0].observation, env.reset(seed=0)[0])
    assert (steps[0].reward, steps[0].terminated) == (0.0, False)
    assert steps[-1].terminated
    assert not any(step.terminated or step.truncated for step in steps[:-1])


def test_an_episode_stops_at_its_limit() -> None:
    steps = list(episode(cartpole(), lambda observation, info: 0, seed=0, limit=3))
    assert len(steps) == 4
    assert not steps[-1].terminated


def test_the_random_agent_repeats_itself_by_its_seed() -> None:
    def actions(seed: int) -> list[int]:
        env = cartpole()
        act = agent("random", env, seed)
        return [int(act(None, {})) for _ in range(20)]

    assert actions(1) == actions(1) != actions(2)


def test_a_script_plays_its_actions_and_stops(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("[0, 1, 0]")
    steps = list(episode(cartpole(), agent(str(script), cartpole(), 0), seed=0, limit=100))
    assert len(steps) == 4


def test_a_scripts_lists_become_arrays_where_the_space_wants_them(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("[[0.5]]")
    env = gymnasium.make("MountainCarContinuous-v0")
    action = agent(str(script), env, 0)(None, {})
    assert action in env.action_space


@pytest.mark.parametrize("text", ["not json", '{"a": 1}', "[]"])
def test_a_bad_script_is_an_error_that_shows_the_form(tmp_path: Path, text: str) -> None:
    script = tmp_path / "script.json"
    script.write_text(text)
    with pytest.raises(AgentError, match="expected a JSON list of actions"):
        agent(str(script), cartpole(), 0)


def test_a_programmed_agent_is_loaded_by_name() -> None:
    assert agent("json:loads", cartpole(), 0) is json.loads


def test_an_unknown_agent_lists_the_known_forms() -> None:
    with pytest.raises(
        AgentError, match=r"'expert': expected random, keyboard, scripted, FILE\.json or"
    ):
        agent("expert", cartpole(), 0)


def test_the_keyboard_needs_a_terminal() -> None:
    with pytest.raises(AgentError, match="no terminal"):
        agent("keyboard", cartpole(), 0)


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(hub.UnknownEnvironment, match="no environment hub:native/Pnog-v0"):
        make("native/Pnog-v0", ())


def test_the_first_wanted_render_mode_that_exists_is_taken() -> None:
    assert make("CartPole-v1", ("no_such", "rgb_array")).render_mode == "rgb_array"
    assert make("CartPole-v1", ()).render_mode is None


def test_an_agent_that_fails_is_named_with_its_error() -> None:
    env = cartpole()
    act = agent("os:getcwd", env, 0)
    with pytest.raises(AgentError, match=r"the agent failed before step 1: TypeError: .*getcwd"):
        list(episode(env, act, seed=0, limit=3))


def test_an_environment_that_fails_is_named_with_step_and_action() -> None:
    env = cartpole()
    words = "CartPole-v1 failed in step 1, action 9: AssertionError: "
    with pytest.raises(PlayError, match=words):
        list(episode(env, lambda observation, info: 9, seed=0, limit=3))
