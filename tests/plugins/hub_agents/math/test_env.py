"""Math-v0, played for real."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from hub.dialogue import DialogueEnv, Quarantined, write_quarantine
from hub.dialogue.validate import validate
from hub.errors import UnknownOption
from hub_agents.math.checker import Verdict, Worker
from tests import need
from tests.hub.cli.conftest import Run, run
from tests.plugins.hub_agents.conftest import finish

need.distribution("reasoning-gym")
need.distribution("math-verify")
__all__ = ["run"]
ID = "hub:agent/Math-v0"


def made(**options: object) -> DialogueEnv:
    env = gymnasium.make(ID, **options).unwrapped
    assert isinstance(env, DialogueEnv)
    return env


def test_a_problem_is_computed_in_the_sandbox_and_answered(sandboxed: dict[str, str]) -> None:
    env = made(difficulty="hard", generators=["chain_sum"], sandbox=sandboxed)
    prompt, _ = env.reset(seed=1)
    sum_ = prompt.rpartition(":")[2].strip(" =\n")
    call = {"name": "python", "arguments": {"code": sum_}}
    read = env.step(f"<tool_call>{json.dumps(call)}</tool_call>")[0]
    _, reward, terminated, _, info = env.step(f"It is \\boxed{{{read.strip()}}}.")
    assert (reward, terminated, info["verdict"]) == (1.0, True, "right")
    env.close()


def test_lanes_are_graded_side_by_side() -> None:
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="vector_entry_point",
                              difficulty="easy")  # fmt: skip
    envs.reset(seed=[0, 1])
    task = envs.envs[0]._episode.task  # type: ignore[attr-defined]  # a white-box look
    actions = np.array([finish(task.data["answer"]), finish("none")], dtype=object)
    _, rewards, terminated, _, _ = envs.step(actions)
    assert rewards.tolist() == [1.0, 0.0]
    assert terminated.all()
    envs.close()


def test_a_checker_that_is_down_gives_no_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    class Down:
        def check(self, gold: str, answer: str) -> Verdict:
            return Verdict(None, False, "the checker does not start")

    monkeypatch.setattr("hub_agents.math.domain.shared", Down)
    env = made()
    env.reset(seed=1)
    *_, truncated, info = env.step(finish("1"))
    assert (truncated, info["outcome"], info["reward"]) == (True, "infra_error", None)


def test_a_recorded_episode_is_replayed_and_graded_again(run: Run, tmp_path: Path) -> None:
    record = str(tmp_path / "r.jsonl")
    env = made(generators=["simple_integration"], record=record)
    env.reset(seed=1)
    assert env._episode is not None
    env.step(f"It is \\boxed{{{env._episode.task.data['answer']}}}.")
    env.reset(seed=1)
    env.step("\\boxed{x}")
    env.close()
    shown = run("replay", record)
    assert shown.status == 0
    assert "It is \\boxed{" in shown.out
    again = run("rescore", record, "--json", "-")
    assert again.status == 0, again.err
    assert [(e["old"], e["new"]) for e in again.json["episodes"]] == [(1.0, 1.0), (0.0, 0.0)]


def test_a_users_own_file_is_played_without_what_is_in_quarantine(tmp_path: Path) -> None:
    rows = [{"id": i, "problem": f"{i}+1?", "answer": i + 1} for i in range(3)]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_quarantine(tmp_path / "q.json", ID, [Quarantined("1", 1, "flaky")])
    own = str(tmp_path / "own.jsonl")
    env = made(tasks=own, quarantine=str(tmp_path / "q.json"))
    assert [env.domain.source.get(i).id for i in range(2)] == ["0", "2"]
    env.reset(options={"task": "2"})
    assert env.step("\\boxed{3}")[1] == 1.0
    with pytest.raises(UnknownOption, match="choose made problems"):
        made(tasks=own, difficulty="easy")


def test_an_immense_power_is_a_wrong_answer_and_costs_no_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Worker, "check", None)  # nobody may ask a process
    (tmp_path / "own.jsonl").write_text('{"prompt": "2+2?", "answer": 4}')
    env = made(tasks=str(tmp_path / "own.jsonl"))
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step("\\boxed{2^{10^{10}}}")
    assert (reward, terminated, info["outcome"]) == (0.0, True, "completed"), info
    assert "above 10^6" in info["verdict"]
    env.close()


@pytest.mark.slow
def test_gold_scores_and_neither_nothing_nor_cheats_do(sandboxed: dict[str, str]) -> None:
    found = validate(ID, k=1, limit=2, options={
        "sandbox": sandboxed, "generators": ["dice", "simple_integration"]})  # fmt: skip
    assert [one.reason for one in found] == ["", ""]
    assert len(found[0].trials) > 10
