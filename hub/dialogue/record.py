"""Records: an episode written line by line as it happens, and read back after any crash."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hub.dialogue.episode import Episode, versions
from hub.dialogue.tasks import Task
from hub.errors import RecordError, UnknownOption
from hub.trajectory import Outcome, Trajectory, Turn
from hub.wire import turn_from_json, turn_to_json

SCHEMA = "hub.record/1"
# How the line of an event ends: see `_sealed`.
_SEAL = re.compile(rb', "check": "([0-9a-f]{32})"\}\Z')


class Recorder:
    """Appends episodes to a JSONL file: a line is with the operating system before the next turn.

    So it survives the death of this process, at any moment (not of the machine's power). Lines of
    several episodes and of several processes may interleave: each names its episode and is written
    by one system call. It ends with a checksum over it and its episode's lines before it, so that
    damage and edits are told (not a forger's, who computes it anew). A line that a dead writer left
    unfinished is marked when the next one opens the file.

    Args:
        path: The file; it and its directory are made.

    Raises:
        UnknownOption: It is no path.
        RecordError: It cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        if not isinstance(path, str | os.PathLike) or not str(path):
            raise UnknownOption(f"record {path!r:.80}: expected the path of a JSONL file, or None")
        self._path = Path(path)
        self._written: dict[str, int] = {}
        self._checks: dict[str, str] = {}  # of the last line of each episode that runs
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        self._append(b"\n" + _line({"type": "resumed"}))
        except OSError as error:
            raise RecordError(f"record {str(path)!r} cannot be written: {error}") from error

    def begin(self, source: Mapping[str, Any], episode: Episode) -> None:
        """Write the episode's head and its opening turns.

        Args:
            source: `env` and `kwargs`, from which `hub rescore` makes the environment again.
            episode: The episode.
        """
        task = episode.task
        head = {
            "type": "begin",
            "schema": SCHEMA,
            **source,
            "task": {"id": task.id, "prompt": task.prompt, "data": dict(task.data)},
            "seed": episode.seed,
            "tools": [dict(tool) for tool in episode.tools],
            "versions": versions(),
            "network": episode.room.network,
            "unsafe": episode.room.unsafe,
        }
        self._write(episode, head)
        self.turn(episode)

    def turn(self, episode: Episode) -> None:
        """Write the turns that are not yet written."""
        done = self._written.get(episode.id, 0)
        for turn in episode.turns[done:]:
            self._write(episode, {"type": "turn", "turn": turn_to_json(turn)})
        self._written[episode.id] = len(episode.turns)

    def end(self, episode: Episode) -> None:
        """Write the episode's end."""
        self.turn(episode)
        self._written.pop(episode.id, None)
        end = {
            "type": "end",
            "outcome": str(episode.outcome),
            "reward_parts": dict(episode.parts),
            "submission": dict(episode.submission),
            "timings": dict(episode.timings),
        }
        same = ("reason", "verdict", "reward", "terminated", "truncated", "observation")
        self._write(episode, end | {name: getattr(episode, name) for name in same})
        self._checks.pop(episode.id, None)

    def _write(self, episode: Episode, event: dict[str, Any]) -> None:
        try:
            text = _line({"episode": episode.id, **event})[:-1]
        except (TypeError, ValueError) as error:
            raise RecordError(f"record: a {event['type']} event is not JSON: {error}") from error
        check = _check(self._checks.get(episode.id, ""), text)
        try:
            self._append(_sealed(text, check))
        except OSError as error:
            raise RecordError(f"record {str(self._path)!r} cannot be written: {error}") from error
        self._checks[episode.id] = check

    def _append(self, line: bytes) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            written = os.write(handle, line)
        finally:
            os.close(handle)
        if written != len(line):
            raise OSError(errno.ENOSPC, f"{written} of {len(line)} bytes written")


def _line(event: Mapping[str, Any]) -> bytes:
    # ASCII only: a lone surrogate in a reason or a submission then survives as its escape.
    return json.dumps(event, allow_nan=False).encode("ascii") + b"\n"


def _check(before: str, text: bytes) -> str:
    """Return the checksum of an event: its line's text, after the checksum of the one before."""
    return hashlib.sha256(before.encode() + text).hexdigest()[:32]


def _sealed(text: bytes, check: str) -> bytes:
    """Return the line of an event whose JSON object is `text`, with its checksum as last field."""
    return text[:-1] + f', "check": "{check}"}}\n'.encode()


@dataclass
class Recording:
    """One episode as it was recorded.

    Attributes:
        episode: Its id.
        begin: The head: `env`, `kwargs`, `task`, `seed`, `tools`, `versions`, `network`, `unsafe`.
        turns: The turns that were written.
        end: The end, or None when the writer died before it.
        check: The checksum of its last line; empty in a record of versions without them.
        damage: What the checksums tell of the first line that is not as it was written, or empty.
    """

    episode: str
    begin: dict[str, Any]
    turns: list[Turn] = field(default_factory=list)
    end: dict[str, Any] | None = None
    check: str = ""
    damage: str = ""

    @property
    def task(self) -> Task:
        """The task."""
        return Task(**self.begin["task"])

    def trajectory(self) -> Trajectory:
        """Return the trajectory, checked against itself.

        Raises:
            RecordError: The writer died before the episode's end.
            TrajectoryError: What was recorded contradicts itself.
        """
        if self.end is None:
            raise RecordError(f"episode {self.episode}: its end was not recorded")
        names = ("reward", "reason", "verdict", "terminated", "truncated")
        ended = {name: self.end[name] for name in (*names, "reward_parts", "timings")}
        begun = {name: self.begin[name] for name in ("env", "seed", "network", "unsafe")}
        return Trajectory(
            episode=self.episode,
            task=self.task.id,
            turns=tuple(self.turns),
            outcome=Outcome(self.end["outcome"]),
            tools=tuple(self.begin["tools"]),
            versions=self.begin["versions"],
            **begun,
            **ended,
        )


def read_records(path: str | Path) -> list[Recording]:
    """Read every episode of a record, in the order of their beginnings.

    A line that a crash cut short is passed over: the last one, or one before a `resumed` event.

    Raises:
        RecordError: The file is absent or damaged; names the line.
    """
    path = Path(path)
    if not path.is_file():
        what = "no regular file" if path.exists() else "there is no such file"
        raise RecordError(f"record {str(path)!r}: {what}")
    found: dict[str, Recording] = {}
    torn: RecordError | None = None
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line:
            continue
        event = _parse(line)
        resumed = event is not None and event.get("type") == "resumed"
        if torn is not None and not resumed:
            raise torn
        torn = None
        if event is None:
            torn = RecordError(f"{path} line {number}: {line[:40]!r}... is not a JSON object")
        elif not resumed:
            where = f"{path} line {number}"
            _follow(_take(found, event, where), line, where)
    return list(found.values())


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _follow(recording: Recording, line: bytes, where: str) -> None:
    """Compare a line's checksum with what its text and the line before it give."""
    seal = _SEAL.search(line)
    if seal is None and not recording.check and not recording.damage:
        return  # a record of versions without them
    given = seal[1].decode() if seal else ""
    expected = _check(recording.check, line[: seal.start()] + b"}") if seal else ""
    if (not seal or given != expected) and not recording.damage:
        recording.damage = (
            f"{where}: it or a line of its episode before it is not as it was written (checksum "
            f"{given or 'absent'!r}, expected {expected or 'one'!r})"
        )
    recording.check = given


def _take(found: dict[str, Recording], event: dict[str, Any], where: str) -> Recording:
    try:
        episode, kind = event["episode"], event["type"]
        if kind == "begin":
            if event["schema"] != SCHEMA:
                raise RecordError(f"schema {event['schema']!r}: expected {SCHEMA!r}")
            found[episode] = Recording(episode, event)
        elif kind == "turn":
            found[episode].turns.append(turn_from_json(event["turn"]))
        elif kind == "end":
            found[episode].end = event
        else:
            raise RecordError(f"event type {kind!r}: expected begin, turn, end or resumed")
        return found[episode]
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, KeyError):
            error = ValueError(f"no field {error}: expected an event of recorded episodes")
        raise RecordError(f"{where}: {type(error).__name__}: {error}") from error
