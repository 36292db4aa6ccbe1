"""Records: an episode written line by line as it happens, and read back after any crash."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.errors import RecordError
from hub.trajectory import Turn
from hub.wire import turn_from_json, turn_to_json

if TYPE_CHECKING:
    from hub.dialogue.episode import Episode

SCHEMA = "hub.record/1"


class Recorder:
    """Appends episodes to a JSONL file; each line is on its way to disk before the next turn.

    Lines of several episodes (and of several processes) may interleave: each names its episode
    and is written by one system call.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._written: dict[str, int] = {}

    def begin(self, env_id: str, episode: Episode) -> None:
        """Write the episode's head and its opening turns."""
        head = {
            "type": "begin",
            "schema": SCHEMA,
            "env": env_id,
            "task": {
                "id": episode.task.id,
                "prompt": episode.task.prompt,
                "data": dict(episode.task.data),
            },
            "seed": episode.seed,
            "tools": list(episode.tools),
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
        self._write(
            episode,
            {
                "type": "end",
                "outcome": str(episode.outcome),
                "reason": episode.reason,
                "reward": episode.reward,
                "reward_parts": dict(episode.parts),
                "terminated": episode.terminated,
                "truncated": episode.truncated,
                "submission": dict(episode.submission),
                "timings": dict(episode.timings),
            },
        )

    def _write(self, episode: Episode, event: dict[str, Any]) -> None:
        line = json.dumps({"episode": episode.id, **event}, allow_nan=False) + "\n"
        with self._lock:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(handle, line.encode())
            finally:
                os.close(handle)


@dataclass
class Recording:
    """One episode as it was recorded.

    Attributes:
        episode: Its id.
        begin: The head: `env`, `task`, `seed`, `tools`.
        turns: The turns that were written.
        end: The end, or None when the writer died before it.
    """

    episode: str
    begin: dict[str, Any]
    turns: list[Turn] = field(default_factory=list)
    end: dict[str, Any] | None = None


def read_records(path: str | Path) -> Iterator[Recording]:
    """Read every episode of a record; a last line cut short by a crash is passed over.

    Raises:
        RecordError: The file is absent, or a line before the last is damaged; names the line.
    """
    path = Path(path)
    if not path.is_file():
        raise RecordError(f"record {str(path)!r}: there is no such file")
    found: dict[str, Recording] = {}
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            _take(found, json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                break
            raise RecordError(f"{path} line {number}: {type(error).__name__}: {error}") from error
    return iter(found.values())


def _take(found: dict[str, Recording], event: dict[str, Any]) -> None:
    episode = event["episode"]
    if event["type"] == "begin":
        if event["schema"] != SCHEMA:
            raise RecordError(f"schema {event['schema']!r}: expected {SCHEMA!r}")
        found[episode] = Recording(episode, event)
    elif event["type"] == "turn":
        found[episode].turns.append(turn_from_json(event["turn"]))
    elif event["type"] == "end":
        found[episode].end = event
    else:
        raise RecordError(f"event type {event['type']!r}: expected begin, turn or end")
