"""A record holds what happened up to the moment of a crash, and reads back after any."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.dialogue import read_records, verify
from hub.errors import RecordError
from hub.trajectory import Outcome
from tests.hub.dialogue.test_tokens import ToyTokenizer
from tests.hub.dialogue.toy import Does, Sums, SumsVector, call, make

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "record.jsonl"


def test_a_recorded_episode_is_the_trajectory(path: Path) -> None:
    env = make(record=str(path), tokenizer=ToyTokenizer())
    env.reset(options={"task": "3+4"}, seed=5)
    env.step(call("add", a=3, b=4))
    env.step("7")
    (recording,) = read_records(path)
    assert recording.trajectory() == env.trajectory()
    assert recording.trajectory().turns[1].token_ids.size > 0
    assert recording.task == env.domain.source.get(28)
    assert recording.begin["schema"] == "hub.record/1"
    assert (recording.begin["env"], recording.begin["kwargs"]) == ("sums", None)
    assert recording.end is not None
    assert recording.end["submission"] == {"answer": "7"}
    assert verify(recording) == "complete"


def test_each_turn_is_in_the_file_before_the_next_step(path: Path) -> None:
    seen: list[int] = []
    look = Does("look", lambda session: str(seen.append(len(read_records(path)[0].turns))))
    env = make(look, record=str(path))
    env.reset(seed=0)
    seen.append(len(read_records(path)[0].turns))
    env.step(call("look"))
    seen.append(len(read_records(path)[0].turns))
    assert seen == [2, 3, 4]


def test_lanes_write_one_file_and_each_names_its_episode(path: Path) -> None:
    env = SumsVector(3, record=str(path), autoreset_mode="SameStep")
    env.reset(seed=0)
    for _ in range(4):
        env.step(["<tool_call>", "3", call("add", a=1, b=1)])
    env.close()
    found = read_records(path)
    assert len(found) == 9
    assert {verify(recording) for recording in found} == {"complete"}
    ends = [r.end["outcome"] for r in found if r.end]
    counts = {outcome: ends.count(outcome) for outcome in set(ends)}
    assert counts == {"completed": 4, "truncated": 2, "cancelled": 3}


def test_a_writer_that_is_killed_leaves_every_turn_up_to_then(path: Path) -> None:
    code = f"""
        import os, signal
        from tests.hub.dialogue.toy import Does, call, make
        kill = Does("kill", lambda session: os.kill(os.getpid(), signal.SIGKILL))
        env = make(kill, record={str(path)!r})
        env.reset(options={{"task": "1+1"}})
        env.step(call("add", a=1, b=1))
        env.step(call("kill"))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    (recording,) = read_records(path)
    assert [turn.role for turn in recording.turns] == ["system", "user", "assistant", "tool",
                                                       "assistant"]  # fmt: skip
    assert (recording.end, verify(recording)) == (None, "unfinished")
    with pytest.raises(RecordError, match="its end was not recorded"):
        recording.trajectory()


def whole() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        env = Sums(record=str(path))
        for seed in range(2):
            env.reset(seed=seed)
            env.step(call("add", a=1, b=1))
            env.step("é🙂")
        return path.read_bytes()


WHOLE = whole()


@given(st.integers(0, len(WHOLE)))
def test_a_record_cut_anywhere_reads_and_can_be_written_on(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        path.write_bytes(WHOLE[:cut])
        before = read_records(path)
        assert all(verify(recording) in ("complete", "unfinished") for recording in before)
        env = Sums(record=str(path))
        env.reset(seed=9)
        env.step("0")
        after = read_records(path)
        assert after[: len(before)] == before
        assert len(after) == len(before) + 1
        assert verify(after[-1]) == "complete"


def test_damage_in_the_middle_is_an_error_at_its_line(path: Path) -> None:
    path.parent.mkdir()
    lines = WHOLE.split(b"\n")
    for bad, message in (
        (b"{oops", r"line 2: b'\{oops'\.\.\. is not a JSON object"),
        (b'{"episode": "x", "type": "turn"}', "line 2: ValueError: no field .x."),
        (b'{"episode": "x", "type": "other"}', "event type 'other'"),
        (b'{"episode": "x", "type": "begin", "schema": "hub.record/9"}', "expected 'hub.record/1'"),
    ):
        path.write_bytes(b"\n".join([lines[0], bad, *lines[2:]]))
        with pytest.raises(RecordError, match=message):
            read_records(path)
    with pytest.raises(RecordError, match="there is no such file"):
        read_records(path.with_name("gone"))


def test_what_cannot_be_written_is_an_error_of_the_record(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be written"):
        Sums(record=str(tmp_path))
    env = make(record=str(tmp_path / "r.jsonl"))
    env.domain.collect = lambda task, answer, sandbox: {"a": object()}  # type: ignore[method-assign]  # the point
    env.reset(seed=0)
    with pytest.raises(RecordError, match="a end event is not JSON"):
        env.step("7")


def test_lone_surrogates_in_data_and_reasons_survive(path: Path) -> None:
    def fail(session: object) -> str:
        raise RuntimeError("odd \ud800")

    env = make(Does("fail", fail), record=str(path))
    env.reset(seed=0)
    env.step(call("fail"))
    (recording,) = read_records(path)
    assert recording.end is not None
    assert recording.end["reason"] == "RuntimeError: odd \ud800"
    assert recording.trajectory().outcome is Outcome.ENV_ERROR


def test_what_is_no_regular_file_is_not_said_to_be_absent(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"'/dev/null': no regular file"):
        read_records("/dev/null")
    with pytest.raises(RecordError, match="there is no such file"):
        read_records(tmp_path / "gone")
