from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from hub.dialogue import find_parser, find_tasks, find_tool
from hub.errors import MissingDependency, TaskError, UnknownOption
from hub.plugins import Plugins
from tests import need
from tests.plugin_site import PluginSite

SOURCE = """
from hub.dialogue import ListSource, Task

def make(split, seed):
    return ListSource([Task(f"{split}-{seed}-{i}", "?") for i in range(3)])

class Shout:
    schema = {"name": "shout", "description": "", "parameters": {"type": "object"}}
    def __init__(self, word="hey"):
        self.word = word
"""

HOOKS = """
import hub

@hub.hookimpl
def hub_register_tools(register):
    register("tool:shout", "acme_parts:Shout")
    register("parser:own", "hub.dialogue.parsers:FencedParser")

@hub.hookimpl
def hub_register_tasks(register):
    register("acme_sums", "acme_parts:make")
"""


@pytest.fixture
def acme(site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> None:
    site.plugin("acme", HOOKS)
    site.module("acme_parts", SOURCE)
    plugins.load(site.points())
    monkeypatch.setattr("hub.plugins.PLUGINS", plugins)


@pytest.mark.usefixtures("acme")
def test_parts_are_found_by_the_names_that_plugins_gave_them() -> None:
    assert find_tool("shout").word == "hey"  # type: ignore[attr-defined]  # of the plugin
    assert find_tool("shout:a:b").word == "a:b"  # type: ignore[attr-defined]  # likewise
    assert type(find_parser("own")).__name__ == "FencedParser"
    source = find_tasks("acme_sums", "test", seed=4)
    assert (len(source), source.get(2).id) == (3, "test-4-2")


@pytest.mark.usefixtures("acme")
def test_a_name_that_nobody_registered_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnknownOption, match=r"no tool 'shot' \(did you mean 'shout'\?\)"):
        find_tool("shot")
    with pytest.raises(UnknownOption, match="no parser 'x'; there are: own"):
        find_parser("x")
    with pytest.raises(UnknownOption, match=r"no task source 'sums'.*acme_sums"):
        find_tasks("sums")


def test_a_users_own_file_works_by_path_and_split(tmp_path: Path) -> None:
    rows = [
        {"prompt": "a\u2028b", "n": 1},
        {"id": 7, "prompt": "c", "split": "train"},
        {"id": "t", "prompt": "d", "split": "test"},
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "t.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    for name in ("t.jsonl", "t.json"):
        source = find_tasks(str(tmp_path / name), "train")
        assert [source.get(i).id for i in range(len(source))] == ["1", "7"]
        assert source.get(0).prompt == "a\u2028b"
        assert source.get(0).data == {"n": 1}
    with pytest.raises(IndexError, match="task 2: the source has 2"):
        source.get(2)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.jsonl", '{"prompt": "a"}\n{oops', r"t\.jsonl line 2: not valid JSON"),
        ("t.jsonl", "[1]", "one JSON object a row"),
        ("t.jsonl", '{"id": "a"}', "row 1: prompt None: expected a text"),
        ("t.jsonl", '{"prompt": "\\ud800"}', "no text that UTF-8 can encode"),
        ("t.jsonl", '{"id": [], "prompt": "a"}', r"row 1: id \[\]: expected a text"),
        ("t.jsonl", '{"id": "a", "prompt": "a"}\n' * 2, "'a' stands there more than once"),
        ("t.jsonl", '{"prompt": "a", "split": "test"}', "no row of split 'train'"),
        ("t.json", "{}", "one JSON object a row"),
    ],
)
def test_a_file_that_holds_no_tasks_is_an_error_at_its_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(TaskError, match=message):
        find_tasks(str(tmp_path / name))
    with pytest.raises(TaskError, match="no such file"):
        find_tasks(str(tmp_path / "other.jsonl"))


def test_parquet_rows_are_read_and_null_is_no_value(tmp_path: Path) -> None:
    pyarrow, parquet = need.module("pyarrow"), need.module("pyarrow.parquet")
    table = pyarrow.table({"prompt": ["a", "b"], "id": ["x", None], "n": [1, None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    tasks = find_tasks(str(tmp_path / "t.parquet"))
    assert [tasks.get(i).data for i in (0, 1)] == [{"n": 1}, {}]
    assert tasks.get(0).id == "x"


def test_without_its_reader_a_parquet_file_names_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match="pip install pyarrow"):
        find_tasks(str(tmp_path / "t.parquet"))


def test_bad_rows_are_refused_or_left_out_with_a_count(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "a", "id": 1}\n{"answer": 2}\n{"prompt": "c", "id": 3}\n')
    with pytest.raises(TaskError, match=r"row 2: .*bad_rows='skip' leaves such rows out"):
        find_tasks(str(path))
    with pytest.warns(UserWarning, match=r"1 of 3 rows are left out as no task; .* row 2: "):
        source = find_tasks(str(path), bad_rows="skip")
    assert [source.get(i).id for i in range(len(source))] == ["1", "3"]
    path.write_text('{"answer": 2}\n')
    with pytest.raises(TaskError, match="none of 1 rows is a task"):
        find_tasks(str(path), bad_rows="skip")
    with pytest.raises(UnknownOption, match="'drop': expected 'refuse' or 'skip'"):
        find_tasks(str(path), bad_rows="drop")
