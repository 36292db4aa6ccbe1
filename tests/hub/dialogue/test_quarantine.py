"""Tasks in quarantine are left out of a source, known by id wherever they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.dialogue import (
    ListSource,
    Quarantined,
    Task,
    Without,
    read_quarantine,
    write_quarantine,
)
from hub.errors import TaskError


def source(count: int) -> ListSource:
    return ListSource([Task(f"t{i}", f"task {i}") for i in range(count)])


@given(st.integers(2, 12), st.data())
def test_what_is_left_keeps_its_order(count: int, data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.integers(0, count - 1), max_size=count - 1))
    # The index is where it was found, in a source that may have changed since.
    stale = [Quarantined(f"t{i}", data.draw(st.integers(0, 20)), "flaky") for i in gone]
    left = Without(source(count), stale)
    ids = [left.get(i).id for i in range(len(left))]
    assert ids == [f"t{i}" for i in range(count) if i not in gone]
    assert [left.find(name) for name in ids] == list(range(len(left)))
    assert {left.find(f"t{i}") for i in gone} <= {None}
    with pytest.raises(IndexError, match="the source has"):
        left.get(len(left))


def test_a_task_that_is_no_more_is_nothing_to_leave_out() -> None:
    assert len(Without(source(3), [Quarantined("other", 1, "flaky")])) == 3


def test_a_source_with_every_task_in_quarantine_is_refused() -> None:
    with pytest.raises(TaskError, match="all 1 tasks are in quarantine"):
        Without(source(1), [Quarantined("t0", 0, "broken")])


def test_a_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    entries = [Quarantined("t1", 1, "oracle is flaky")]
    write_quarantine(tmp_path / "q.json", "hub:toys/Sums-v0", entries)
    assert read_quarantine(tmp_path / "q.json") == entries
    assert json.loads((tmp_path / "q.json").read_text())["schema"] == "hub.quarantine/1"
    assert [path.name for path in tmp_path.iterdir()] == ["q.json"]


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "x", "tasks": []}', '{"tasks": [1]}'])
def test_a_file_of_another_kind_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "q.json"
    path.write_text(text)
    with pytest.raises(TaskError, match=r"q\.json.*hub tasks validate --quarantine"):
        read_quarantine(path)
