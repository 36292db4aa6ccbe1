"""The one notation for what is measured: `CartPole-v1 sync lanes=64`, `make_vec lanes=1024`.

A case is words followed by `key=value` options, values being JSON:

    [ID] PATH [lanes=N] [threads=N] [option=value ...]

`PATH` is `make` (a single environment), `make_vec` (the environment's own vector entry point),
`sync` (Gymnasium's `SyncVectorEnv`), or the name of a layer or peer that a card's `bench`
declares (`bare C loop`). Without an id the case is one of the environment being measured. Cards
write their goals in it, rows carry it as `case`, so that what a table shows can be asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hub.errors import BenchError

PATHS = ("make", "make_vec", "sync")
_OPTION = re.compile(r"[A-Za-z_]\w*=\S+")


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    Attributes:
        path: `make`, `make_vec`, `sync`, or the name of a declared layer or peer.
        id: A Gymnasium id, or empty for the environment being measured.
        lanes: Environments stepped by one call; 1 for `make`.
        threads: CPU cores that the measuring process may use.
        options: Keyword arguments of the environment's constructor, JSON values without spaces.
    """

    path: str
    id: str = ""
    lanes: int = 1
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Case:
        """Read a case from its notation.

        Raises:
            BenchError: `text` names no path, or an option's value is not JSON.
        """
        words = text.split()
        head = [word for word in words if not _OPTION.fullmatch(word)]
        if not head or words[: len(head)] != head:
            raise BenchError(f"case {text!r}: expected '[ID] PATH [lanes=N] [option=value ...]'")
        options = dict(_option(text, word) for word in words[len(head) :])
        lanes, threads = options.pop("lanes", 1), options.pop("threads", 1)
        for name, value in (("lanes", lanes), ("threads", threads)):
            if type(value) is not int or value < 1:
                raise BenchError(f"case {text!r}: {name}={value!r}: expected a whole number >= 1")
        if len(head) == 2 and head[1] in PATHS:
            return cls(head[1], head[0], lanes, threads, options)
        return cls(" ".join(head), "", lanes, threads, options)

    def __str__(self) -> str:
        words = [self.id, self.path] if self.id else [self.path]
        if self.path != "make":
            words.append(f"lanes={self.lanes}")
        if self.threads != 1:
            words.append(f"threads={self.threads}")
        words += [f"{k}={json.dumps(v, separators=(',', ':'))}" for k, v in self.options.items()]
        return " ".join(words)

    @property
    def line(self) -> str:
        """The case without its lane count: cases that differ in lanes alone share a line."""
        return " ".join(word for word in str(self).split() if not word.startswith("lanes="))

    @property
    def own(self) -> bool:
        """True for the environment being measured; false for peers, references and layers."""
        return self.path in PATHS and not self.id

    def at(self, lanes: int) -> Case:
        """Return the same case with `lanes` lanes (`make` stays at one)."""
        return self if self.path == "make" else replace(self, lanes=lanes)


def _option(text: str, word: str) -> tuple[str, Any]:
    name, _, value = word.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        raise BenchError(
            f'case {text!r}: {word}: expected a JSON value (64, true, "name")'
        ) from None
