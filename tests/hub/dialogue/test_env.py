"""The conversation: a plain loop over text, seeded, with answers to whatever the model says."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.error import ResetNeeded

import hub
from hub.dialogue import Budget, DialogueEnv, Said
from hub.errors import ClosedError, InvalidAction, TaskError, UnknownOption
from hub.trajectory import Outcome
from tests.hub.dialogue.toy import PLUGIN, Sums, SumsDomain, call, make
from tests.plugin_site import PluginSite

ROOT = Path(__file__).resolve().parents[3]


def test_an_episode_is_a_plain_loop_over_text() -> None:
    env = make()
    prompt, info = env.reset(options={"task": "3+4"})
    assert (prompt, info["task"]) == ("What is 3 + 4? 🙂", "3+4")
    assert [tool["name"] for tool in info["tools"]] == ["add", "finish"]
    assert env.step(call("add", a=3, b=4))[:4] == ("7", 0.0, False, False)
    observation, reward, terminated, truncated, info = env.step("7")
    assert (observation, reward, terminated, truncated) == ("", 1.0, True, False)
    assert (info["outcome"], info["reason"], info["reward"]) == ("completed", "answer", 1.0)
    assert [m["role"] for m in info["messages"]] == ["system", "user", "assistant", "tool",
                                                     "assistant"]  # fmt: skip
    found = env.trajectory()
    assert (found.outcome, found.reward, found.verdict) == (Outcome.COMPLETED, 1.0, "right")
    assert found.turns[2].tool_calls[0].arguments == {"a": 3, "b": 4}
    assert found.versions == {"gymhub": hub.__version__}


def test_the_task_is_that_of_the_last_episode() -> None:
    env = make()
    with pytest.raises(ResetNeeded, match="no episode has begun"):
        _ = env.task
    env.reset(options={"task": "3+4"})
    env.step("7")
    assert env.task.id == "3+4"


@pytest.mark.slow
def test_the_conformance_suite_passes_over_an_installed_card(site: PluginSite) -> None:
    site.plugin("toys", PLUGIN)
    path = os.pathsep.join(map(str, (site.path, ROOT)))
    arguments = ("-m", "hub", "check", "hub:toys/Sums-v0", "--json", "-", "--seconds", "60")
    done = site.run(*arguments, env={"PYTHONPATH": path})
    data = json.loads(done.stdout)
    report = {c["name"]: (c["status"], c["message"]) for c in data["checks"]}
    assert not {n: c for n, c in report.items() if c[0] == "fail"}, done.stdout
    passed = {name for name, (status, _) in report.items() if status == "pass"}
    modes = {"autoreset_next_step", "autoreset_same_step", "autoreset_disabled"}
    others = {"determinism", "process", "pickle", "vector_data", "vector_seeds", "sync"}
    assert modes | others <= passed, report


def test_the_seed_chooses_the_task_and_a_reset_without_one_goes_on() -> None:
    env, other = Sums(), Sums()
    first = [env.reset(seed=5)[0], *(env.reset()[0] for _ in range(5))]
    assert first == [other.reset(seed=5)[0], *(other.reset()[0] for _ in range(5))]
    assert len(set(first)) > 1
    assert env.reset(options={"task": 9})[1]["task"] == "1+1"


def test_tools_answer_in_the_order_of_their_calls_and_finish_ends() -> None:
    env = make()
    env.reset(options={"task": "1+1"})
    both = call("add", a=1, b=1) + call("add", a=2, b=2)
    assert env.step(both)[0] == "2\n4"
    _, reward, terminated, _, info = env.step(call("finish", answer=" 2 ") + call("add", a=1, b=1))
    assert (reward, terminated, info["reason"]) == (1.0, True, "finish")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("<tool_call>{oops</tool_call>", "error: tool call 1: not valid JSON"),
        ("<tool_call>[1]</tool_call>", "error: tool call 1: expected a JSON object"),
        ('<tool_call>{"name": "add", "arguments": {"a": NaN}}</tool_call>', "not valid JSON"),
        ('<tool_call>{"name": "add", "arguments": {"a": 1e999}}</tool_call>', "not valid JSON"),
        ('<tool_call>{"name": "\\ud800"}</tool_call>', "error: tool call 1: not valid JSON"),
        ("<tool_call>" + "[" * 100_000, "error: tool call 1: not valid JSON"),
        (call("subtract", a=1, b=2), "there is no tool 'subtract'; the tools are: add, finish"),
        (call("add", a=1), "error: add: arguments: 'b' is a required property"),
        (call("add", a=1, b="x"), "error: add: b: 'x' is not of type 'integer'"),
        (call("add", a=10**9, b=1), "error: add: numbers up to a million, please"),
    ],
)
def test_a_malformed_call_is_an_error_observation_and_the_episode_goes_on(
    said: str, answer: str
) -> None:
    env = make()
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(said)
    assert answer in observation
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "outcome" not in info


def test_text_without_a_call_is_reminded_where_only_a_tool_can_end() -> None:
    env = make()
    env.domain.text_ends = False
    env.reset(seed=0)
    assert env.step("7")[0].startswith("error: no tool call in this message")


def test_what_is_no_text_is_an_error_and_leaves_the_episode_as_it_is() -> None:
    env = make()
    with pytest.raises(ResetNeeded):
        env.step("x")
    env.reset(seed=0)
    for action in (7, b"7"):
        with pytest.raises(InvalidAction, match="expected a str that UTF-8 can encode"):
            env.step(action)  # type: ignore[arg-type]  # the point of the test
    env.step("7")
    with pytest.raises(ResetNeeded):
        env.step("7")
    env.close()
    for late in (env.reset, lambda: env.step("7")):
        with pytest.raises(ClosedError):
            late()


def test_a_lone_surrogate_is_read_as_the_replacement_character() -> None:
    env = make()
    env.reset(options={"task": "1+1"})
    said = Said(call("add", a=1, b=1) + "\ud83d", [1, 2], [-1.0, -2.0])
    assert env.step(said)[0] == "2"
    env.step("\ud800")
    turns = [turn for turn in env.trajectory().turns if turn.role == "assistant"]
    assert [turn.content[-1] for turn in turns] == ["\ufffd", "\ufffd"]
    assert turns[0].token_ids.tolist() == [1, 2]


def test_misspelt_options_are_errors_that_name_what_there_is() -> None:
    with pytest.raises(UnknownOption, match=r"no parser 'herms' \(did you mean 'hermes'\?\)"):
        Sums(parser="herms")
    with pytest.raises(UnknownOption, match="budget has no 'turn'; its fields: turns, tokens"):
        Sums(budget={"turn": 3})
    with pytest.raises(UnknownOption, match="sandbox has no 'net'; its fields: provider"):
        Sums(sandbox={"net": True})
    with pytest.raises(ValueError, match="budget turns=0"):
        Budget.of({"turns": 0})
    env = make()
    with pytest.raises(UnknownOption, match="no reset option tsk"):
        env.reset(options={"tsk": 1})
    for wanted, message in (("9+9", "not among the 64"), (64, "has 64"), (-1, "has 64")):
        with pytest.raises(TaskError, match=message):
            env.reset(options={"task": wanted})


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"tools": "bash"}, r"tools 'bash': expected a list of names, like \['bash'\]"),
        ({"tools": 5}, "tools 5: expected a list of names"),
        ({"tools": [5]}, "tools 5: expected names of tools, or objects with schema and run"),
        ({"parser": 5}, "parser 5: expected a parser's name, or an object with instructions and"),
        ({"budget": 5}, "budget 5: expected a mapping with turns, tokens"),
        ({"record": 5}, "record 5: expected the path of a JSONL file"),
        ({"tokenizer": 5}, "tokenizer 5: expected a directory, .* it has no stop_ids"),
    ],
)
def test_an_option_of_another_kind_is_refused_with_what_was_expected(
    wrong: dict[str, Any], why: str
) -> None:
    with pytest.raises(UnknownOption, match=why):
        DialogueEnv(SumsDomain(), **wrong)


def test_a_token_budget_that_text_does_not_use_up_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"budget tokens=5: no tokenizer is bound.*Fix: give"):
        make(budget={"tokens": 5})


def test_the_transcript_is_readable_and_ends_with_the_verdict() -> None:
    env = make(render_mode="ansi")
    assert env.render() is None
    env.reset(options={"task": "1+2"})
    env.step("4")
    shown = env.render()
    assert shown is not None
    assert "[user]\nWhat is 1 + 2? 🙂" in shown
    assert shown.endswith("[completed] reward 0.0, answer; wrong")


def test_an_unfinished_episode_is_cancelled_by_the_next_reset(tmp_path: Path) -> None:
    env = gymnasium.wrappers.PassiveEnvChecker(make())
    env.reset(seed=0)
    env.reset(seed=1)
    assert math.isfinite(env.step("3")[1])
