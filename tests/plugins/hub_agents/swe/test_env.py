"""SWE-v0, played for real by scripted agents, cheats among them, on a mined instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from hub.dialogue import Agent, DialogueEnv, Script, act, answering, spoken
from hub.dialogue.validate import play, validate
from hub.errors import TaskError
from hub_agents.swe.instance import Instance
from tests.hub.sandbox.conftest import require

ID = "hub:agent/SWE-v0"
CANARY = "test_what_is_read"  # stands in the hidden tests alone


@pytest.fixture(scope="module")
def env(mined_file: Path, sandboxed: dict[str, str]) -> Iterator[DialogueEnv]:
    made = gymnasium.make(ID, tasks=str(mined_file), sandbox=sandboxed).unwrapped
    assert isinstance(made, DialogueEnv)
    yield made
    made.close()


def running(*commands: str) -> Agent:
    """Return the agent that runs commands in the repository and finishes."""

    def agent() -> Script:
        yield act("bash", command="cd /workspace/repo")
        for command in commands:
            yield act("bash", command=command)
        yield act("finish")

    return agent


def told(env: DialogueEnv, *commands: str) -> list[str]:
    """Return what commands print in the sandbox of a new episode, which goes on."""
    env.reset(options={"task": 0})
    script = running(*commands)()
    seen = [env.step(spoken(call))[0] for call in [*script][:-1]]
    return seen[1:]


def collected(env: DialogueEnv) -> dict[str, Any]:
    """Return what would be graded of the episode that runs, and end it."""
    assert env._episode is not None  # white box
    found = env.domain.collect(env.task, None, env._episode.room.sandbox)
    env.cancel()
    return dict(found)


FIX = "sed -i 's/int(last or first))/int(last or first) + 1)/' spans.py"


def test_the_real_fix_scores_1_and_nothing_0(env: DialogueEnv) -> None:
    oracle = env.domain.oracle(env.domain.source.get(0))  # type: ignore[attr-defined]  # Probed
    reward, reason = play(env, 0, oracle)
    assert reward == 1.0
    assert reason.startswith("10 tests passed; not graded: tests/test_reproduction.py (")
    reward, reason = play(env, 0, answering(None))
    assert reward == 0.0
    assert reason.startswith("nothing that counts was changed; ")


@pytest.mark.parametrize(
    "commands",
    [
        (FIX, "git add -A", "git commit -qm fixed"),
        (FIX, "git stash", "git stash pop", "git checkout -q -b other", "rm -rf .git"),
        ("git config core.fsmonitor 'exit 1'; git config core.worktree /tmp", FIX),
        (FIX, "mv spans.py lines.py && ln -s lines.py spans.py && cp lines.py x && mv x spans.py"),
    ],
    ids=["committed", "without git", "git tampered with", "moved about"],
)
def test_a_fix_counts_whatever_git_says_of_it(env: DialogueEnv, commands: tuple[str, ...]) -> None:
    told(env, *commands)
    found = collected(env)
    assert "int(last or first) + 1)" in found["files"].pop("spans.py")["text"]
    assert set(found["files"]) <= {"lines.py"}


def test_all_kinds_of_changes_are_collected_and_nothing_else(env: DialogueEnv) -> None:
    told(
        env,
        "printf 'x = 1\\n' > new.py; mkdir deep; printf '\\377\\0' > deep/data.bin; rm PKG-INFO",
        "chmod +x setup.py; git mv spans.py ranges.py; ln -s /etc/passwd link; mkfifo pipe",
        "ln new.py hard.py; truncate -s 100M sparse; echo 'x = 1' > conftest.py; touch json.py",
        "echo pass > tests/test_spans.py; ln -s / root; touch $'odd\\nname' cheat.pth a.so",
    )
    found = collected(env)
    files = found["files"]
    assert set(files) == {"new.py", "hard.py", "deep/data.bin", "setup.py", "spans.py", "ranges.py"}
    assert files["spans.py"] is None
    assert files["setup.py"]["executable"] is True
    assert files["deep/data.bin"]["base64"] == "/wA="
    assert {
        "conftest.py",
        "json.py",
        "cheat.pth",
        "a.so",
        "PKG-INFO",
        "tests/test_spans.py",
    } <= set(found["dropped"])
    assert found["dropped"]["link"] == "links are not graded"
    assert found["dropped"]["pipe"] == "pipes are not graded"
    assert found["dropped"]["sparse"] == "files of this size are not graded"
    assert found["not_graded"] == len(found["dropped"])
    assert "rename" not in found["patch"]
    assert "+x = 1" in found["patch"]


def test_what_is_not_graded_is_told(env: DialogueEnv) -> None:
    """A fix by a link, in the tests and by permissions is none, and its author learns why."""
    env.reset(options={"task": 0})
    moved = f"{FIX} && mv spans.py lines.py && ln -s lines.py spans.py"
    commands = (moved, "chmod 600 setup.py", "echo 1 > tests/test_spans.py", "touch conftest.py")
    script = running(*commands)()
    *_, (_, reward, _, _, info) = [env.step(spoken(call)) for call in script]
    assert reward == 0.0
    assert info["reward_parts"]["not_graded"] == 4
    told = "not graded: conftest.py (tests and their settings are the grader's), and 3 more"
    assert info["verdict"].endswith(told)
    assert env._episode is not None
    dropped = env._episode.submission["dropped"]
    assert dropped["spans.py"] == "links are not graded; the file counts as deleted"
    assert dropped["setup.py"] == "its permissions are not graded"
    assert "Links, and changes of tests" in env.domain.system(env.task)


def test_what_tools_leave_behind_is_no_change(env: DialogueEnv) -> None:
    told(env, "python3 -m pytest -q", "python3 -m compileall -q .", FIX)
    found = collected(env)
    assert (set(found["files"]), found["not_graded"]) == ({"spans.py"}, 0)


def test_a_fix_counts_on_a_full_disk(env: DialogueEnv) -> None:
    told(env, FIX, "head -c 2G /dev/zero > full; head -c 2G /dev/zero > /tmp/full")
    assert set(collected(env)["files"]) == {"spans.py"}


def test_the_agent_sees_one_commit_and_no_trace_of_fix_or_hidden_tests(env: DialogueEnv) -> None:
    places = "/workspace /tmp /dev/shm /run /var /etc /proc/*/environ /proc/*/cmdline"
    counts, objects, history, files, patches = told(
        env,
        "git log --all --oneline | wc -l; git reflog | wc -l; git remote; git tag; git stash list",
        "git fsck --unreachable --lost-found --no-reflogs 2>&1; ls .git; git status --short",
        f"git grep -c {CANARY} $(git rev-list --all); git log --all -S'first) + 1' --oneline",
        f"grep -rlsaE 'def[ ]{CANARY}' {places}; echo",
        "find / -xdev -name '*.patch' -o -xdev -name '*.diff' -newer /etc/passwd; ls -A /tmp; echo",
    )
    env.cancel()
    assert counts.split() == ["1", "0"]
    assert "unreachable" not in objects
    assert not {"logs", "ORIG_HEAD", "packed-refs", "FETCH_HEAD", "??"} & set(objects.split())
    assert (history, files) == ("[no output]", "[no output]")
    assert ".hub" not in patches


def test_tests_run_in_the_agents_sandbox_as_they_stand(env: DialogueEnv) -> None:
    (seen,) = told(env, "python3 -m pytest -q 2>&1 | tail -n 1; cd /tmp; python3 -c 'import spans'")
    env.cancel()
    assert seen.startswith("6 passed")


@pytest.mark.slow
def test_a_truncated_episode_is_graded_as_it_stands(
    mined_file: Path, sandboxed: dict[str, str]
) -> None:
    env = gymnasium.make(ID, tasks=str(mined_file), sandbox=sandboxed, budget={"turns": 1})
    env.reset(options={"task": 0})
    _, reward, terminated, truncated, info = env.step(
        spoken(act("bash", command=f"cd /workspace/repo; {FIX}"))
    )
    assert (reward, terminated, truncated, info["reason"]) == (1.0, False, True, "turns")
    env.close()


@pytest.mark.slow
def test_gold_scores_and_no_cheat_does(mined_file: Path, sandboxed: dict[str, str]) -> None:
    (found,) = validate(ID, k=1, options={"tasks": str(mined_file), "sandbox": sandboxed}, jobs=1)
    assert found.reason == ""
    assert {"conftest hook", "plant a verdict", "fake programs", "search the history"} <= {
        trial.agent for trial in found.trials
    }


@pytest.mark.slow
def test_it_is_solved_inside_apptainer(mined_file: Path) -> None:
    sandbox = {"provider": require("apptainer")}
    env = gymnasium.make(ID, tasks=str(mined_file), sandbox=sandbox).unwrapped
    assert isinstance(env, DialogueEnv)
    assert play(env, 0, running(FIX))[0] == 1.0
    assert play(env, 0, running("echo 'import os; os._exit(0)' >> spans.py"))[0] == 0.0
    env.close()


def test_a_directory_of_instances_is_a_source(
    mined: Instance, mined_file: Path, tmp_path: Path
) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        value = {**mined.to_json(), "id": f"spans-{number}"}
        (folder / "instance.json").write_text(json.dumps(value))
    env = gymnasium.make(ID, tasks=str(tmp_path))
    assert env.reset(options={"task": "spans-2"})[1]["task"] == "spans-2"
    (tmp_path / "empty").mkdir()
    with pytest.raises(TaskError, match=r"holds no instance\.json"):
        gymnasium.make(ID, tasks=str(tmp_path / "empty"))
