"""Replay gives what was recorded and stops at the first divergence; rescore grades again."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.error import ResetNeeded

from hub.dialogue import Grade, Recording, ReplayEnv, Task, read_records, rescore, verify
from hub.errors import RecordError, ReplayDivergence
from tests.hub.dialogue.toy import Does, Sums, call, make

ACTIONS = [call("add", a=1, b=1), "<tool_call>{oops", "2"]


def recorded(
    path: Path, actions: list[str] = ACTIONS, **options: Any
) -> tuple[list[Any], Recording]:
    """Play and record; return every (observation, reward, flags, info) and the recording."""
    env = make(record=str(path / "r.jsonl"), **options)
    steps: list[Any] = [env.reset(options={"task": "1+1"})]
    steps += [env.step(action) for action in actions]
    return steps, read_records(path / "r.jsonl")[-1]


@pytest.mark.parametrize(
    "actions", [ACTIONS, [call("finish", answer="2")], [call("add", a=1, b=1)] * 3]
)
def test_replaying_gives_observations_rewards_flags_and_infos_as_recorded(
    tmp_path: Path, actions: list[str]
) -> None:
    steps, recording = recorded(tmp_path, actions, budget={"turns": 3})
    replay = ReplayEnv(recording)
    assert replay.actions() == actions
    for _ in range(2):
        observation, info = replay.reset()
        assert observation == steps[0][0]
        assert info["messages"] == steps[0][1]["messages"]
        for action, step in zip(replay.actions(), steps[1:], strict=True):
            assert replay.step(action) == step
    with pytest.raises(ReplayDivergence, match=f"turn {len(actions) + 1}: the record of .* ends"):
        replay.step("more")


def test_the_first_divergence_raises_and_names_turn_and_place(tmp_path: Path) -> None:
    _, recording = recorded(tmp_path)
    replay = ReplayEnv(recording)
    with pytest.raises(ResetNeeded):
        replay.step("x")
    replay.reset()
    replay.step(ACTIONS[0])
    with pytest.raises(
        ReplayDivergence, match=r"turn 2 differs at character 11: recorded .*oops.*, given .*ooops"
    ):
        replay.step("<tool_call>ooops")


def test_an_episode_whose_writer_died_replays_as_far_as_it_goes(tmp_path: Path) -> None:
    steps, recording = recorded(tmp_path)
    recording.end = None
    recording.turns.pop()
    recording.turns.pop()
    assert verify(recording) == "unfinished"
    replay = ReplayEnv(recording)
    replay.reset()
    assert replay.step(ACTIONS[0])[0] == steps[1][0]
    with pytest.raises(ReplayDivergence, match="turn 2: its answer was not recorded"):
        replay.step(ACTIONS[1])


def test_an_episode_without_a_grade_replays_with_nan(tmp_path: Path) -> None:
    def fail(session: object) -> str:
        raise RuntimeError("bug")

    env = make(Does("fail", fail), record=str(tmp_path / "r.jsonl"))
    env.reset(seed=0)
    env.step(call("fail"))
    (recording,) = read_records(tmp_path / "r.jsonl")
    replay = ReplayEnv(recording)
    replay.reset()
    _, reward, _, truncated, info = replay.step(call("fail"))
    assert math.isnan(reward)
    assert (truncated, info["reward"], info["outcome"]) == (True, None, "env_error")
    assert rescore(recording, lenient).note == "env_error: nothing was submitted"


def test_a_record_that_was_tampered_with_is_damaged(tmp_path: Path) -> None:
    _, recording = recorded(tmp_path)
    assert recording.end is not None
    recording.end["truncated"] = True
    with pytest.raises(ValueError, match="expected exactly one"):
        verify(recording)
    recording.end["truncated"] = recording.end["terminated"] = False
    with pytest.raises(RecordError, match=r"turn 3 of .* does not end as recorded"):
        verify(recording)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"reward": 1.0', '"reward": 0.0'),
        ('"submission": {"answer": "2"}', '"submission": {"answer": "1"}'),
        ('"content": "2"', '"content": "3"'),
        ('"seed": -1', '"seed": 7'),
        (', "check": "', ', "note": "'),
    ],
)
def test_any_edit_of_a_record_is_told_with_its_line(tmp_path: Path, old: str, new: str) -> None:
    recorded(tmp_path)
    path = tmp_path / "r.jsonl"
    lines = path.read_text().split("\n")
    (number, *_) = [n for n, line in enumerate(lines, 1) if old in line]
    path.write_text("\n".join(lines).replace(old, new, 1))
    (recording,) = read_records(path)
    place = rf"r\.jsonl line ({number}|{number + 1}): it or a line .* is not as it was written"
    with pytest.raises(RecordError, match=place):
        verify(recording)


def test_a_line_that_was_taken_out_is_told_and_episodes_may_interleave(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    envs = [make(record=str(path)) for _ in range(2)]
    for env in envs:
        env.reset(options={"task": "1+1"})
    for action in ACTIONS:
        for env in envs:
            env.step(action)
    assert [verify(one) for one in read_records(path)] == ["complete"] * 2
    lines = path.read_text().splitlines(keepends=True)
    gone = next(n for n, line in enumerate(lines) if '"assistant"' in line)
    path.write_text("".join(lines[:gone] + lines[gone + 1 :]))
    first, second = read_records(path)
    with pytest.raises(RecordError, match="is not as it was written"):
        verify(first)
    assert verify(second) == "complete"


def test_a_record_of_versions_without_checksums_is_read(tmp_path: Path) -> None:
    recorded(tmp_path)
    path = tmp_path / "r.jsonl"
    path.write_text(re.sub(r', "check": "[0-9a-f]{32}"', "", path.read_text()))
    (recording,) = read_records(path)
    assert verify(recording) == "complete"


def lenient(task: Task, submission: Any) -> Grade:
    """Give half a point for any number."""
    return Grade(0.5 if submission["answer"].strip().isdigit() else 0.0, reason="lenient")


def test_rescoring_takes_the_environments_own_grader_or_another(tmp_path: Path) -> None:
    gymnasium.register("toys/Rescored-v0", entry_point=Sums)
    try:
        env = gymnasium.make("toys/Rescored-v0", record=str(tmp_path / "r.jsonl"), text_ends=True)
        env.reset(seed=0)
        env.step("100")
        env.close()
        (recording,) = read_records(tmp_path / "r.jsonl")
        assert recording.begin["kwargs"] == {"text_ends": True}
        # Hub ids are found by their prefix; this one was registered by hand.
        recording.begin["env"] = "toys/Rescored-v0"
        own, other = rescore(recording), rescore(recording, lenient)
    finally:
        del gymnasium.registry["toys/Rescored-v0"]
    assert (own.old, own.new) == (0.0, 0.0)
    assert (other.old, other.new) == (0.0, 0.5)


def test_rescoring_an_environment_of_nobody_needs_a_grader(tmp_path: Path) -> None:
    _, recording = recorded(tmp_path)
    with pytest.raises(RecordError, match="name one"):
        rescore(recording)
    recording.end = None
    assert rescore(recording).note == "its end was not recorded"
