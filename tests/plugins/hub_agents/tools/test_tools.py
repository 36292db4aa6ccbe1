"""The tools at work in a real sandbox, each as a model sees it: by its words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hub.dialogue import DialogueEnv
from tests.hub.dialogue.toy import call, make
from tests.hub.sandbox.conftest import CONTAINERS, require

Say = Callable[..., str]


@pytest.fixture(scope="module", params=CONTAINERS)
def env(request: pytest.FixtureRequest) -> Iterator[DialogueEnv]:
    made = make(
        tools=["bash", "python", "str_replace_editor"],
        sandbox={"provider": require(request.param)},
        budget={"turns": 500},
    )
    made.reset(options={"task": "3+4"})
    yield made
    made.close()


@pytest.fixture
def say(env: DialogueEnv) -> Say:
    def say(name: str, /, **arguments: Any) -> str:
        observation, _, terminated, truncated, _ = env.step(call(name, **arguments))
        assert (terminated, truncated) == (False, False)
        return observation

    return say


def edit(say: Say, command: str, path: str = "code.py", **more: Any) -> str:
    return say("str_replace_editor", command=command, path=path, **more)


def test_the_shell_keeps_its_state_and_tells_what_went_wrong(say: Say) -> None:
    assert say("bash", command="cat task.txt") == "What is 3 + 4? 🙂"
    assert say("bash", command="mkdir -p sub && cd sub && x=5") == "[no output]"
    assert say("bash", command="echo $x; pwd; cd ..").splitlines() == ["5", "/workspace/sub"]
    assert say("bash", command="ls /nowhere").endswith("[exit code 2]")
    left = say("bash", command="exit 3")
    assert left.startswith("[exit code 3]\n[The shell ended (exit status 3); a new one")


def test_python_keeps_its_variables_and_shows_tracebacks(say: Say) -> None:
    assert say("python", code="x = 6") == "[no output]"
    assert say("python", code="x * 7") == "42"
    assert "ZeroDivisionError" in say("python", code="1/0")


def test_the_editor_creates_views_replaces_inserts_and_undoes(say: Say) -> None:
    assert edit(say, "create", file_text="a = 1\nb = 2\n") == "code.py is created"
    assert edit(say, "view") == "     1\ta = 1\n     2\tb = 2"
    assert "     2\tb = 3" in edit(say, "str_replace", old_str="b = 2", new_str="b = 3")
    assert "     1\timport os" in edit(say, "insert", insert_line=0, new_str="import os")
    assert say("bash", command="cat code.py") == "import os\na = 1\nb = 3"
    assert edit(say, "view", view_range=[2, -1]) == "     2\ta = 1\n     3\tb = 3"
    for left in ("a = 1\nb = 3", "a = 1\nb = 2"):
        assert edit(say, "undo").endswith("undone")
        assert say("bash", command="cat code.py") == left
    edit(say, "undo")
    assert "No such file" in edit(say, "view")
    assert "no edit of code.py to undo" in edit(say, "undo")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"command": "str_replace", "old_str": "x"}, "is not unique in m.txt: lines 1, 2, 2; make"),
        ({"command": "str_replace", "old_str": "q"}, "does not occur in m.txt; view it"),
        ({"command": "str_replace", "old_str": ""}, "old_str is empty"),
        ({"command": "str_replace"}, "str_replace needs old_str"),
        ({"command": "insert", "insert_line": 9, "new_str": "y"}, "m.txt has 2 lines"),
        ({"command": "create", "file_text": "y"}, "m.txt exists"),
        ({"command": "view", "view_range": [2, 5]}, "m.txt has 2 lines"),
        ({"command": "view", "path": "a\0b"}, "holds a NUL"),
        ({"command": "view", "path": "bin"}, "is no UTF-8 text"),
        ({"command": "delete"}, "'delete' is not one of"),
    ],
)
def test_an_edit_that_cannot_be_done_is_a_clear_error(
    say: Say, arguments: dict[str, Any], answer: str
) -> None:
    say("bash", command="printf 'x\\nxx\\n' > m.txt; printf '\\377' > bin")
    said = say("str_replace_editor", **{"path": "m.txt", **arguments})
    assert said.startswith("error: str_replace_editor")
    assert answer in said
    assert say("bash", command="cat m.txt") == "x\nxx"


def test_a_directory_is_listed_without_what_is_hidden(say: Say) -> None:
    say("bash", command="mkdir -p d/e && touch d/e/f d/.git")
    assert edit(say, "view", path="d").splitlines()[1:] == ["d", "d/e", "d/e/f"]


def test_search_ranks_local_texts_and_tells_when_there_is_nothing(tmp_path: Path) -> None:
    rows = [{"id": "n1", "text": "The mole is a unit."}, {"title": "Ohm", "text": "U = R I " * 300}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "law.md").write_text("Boyle: pressure times volume. Ohm is no gas.")
    env = make(tools=[f"search:{tmp_path}"])
    env.reset(seed=0)
    assert env.step(call("search", query="OHM's law"))[0].splitlines()[0] == "[1] sub/law.md"
    found = env.step(call("search", query="unit", k=1))[0]
    assert found == "[1] n1\nThe mole is a unit."
    assert "nothing in 3 texts" in env.step(call("search", query="zebra"))[0]


def test_a_nul_in_a_command_is_answered_and_the_episode_goes_on(say: Say) -> None:
    assert say("bash", command="echo \0") == (
        "error: bash: a command cannot hold a NUL; write such data with printf"
    )
    assert say("bash", command="echo on") == "on"
