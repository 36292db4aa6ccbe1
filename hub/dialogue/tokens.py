"""Token provenance: the append-only ids of an episode, with mask and logprobs.

What the engine sampled is stored as it came and never encoded again. After a sampled turn only
the template's own text around the next messages is encoded. To find that text, the conversation is
rendered with a mark in place of everything that was said in this sequence: what follows the last
mark is the suffix to append, provided that everything before it stands as it stood.

Two things are counted. A turn has *drifted* where encoding its text would give other ids than the
engine's (another segmentation, or a template that trims the text): that is what keeping the ids
saves us from. A *split* happens where the template rewrites what stood before (some drop earlier
reasoning, some move the tools): the stored ids are no prefix of the new prompt then, and a new
sequence begins with all of it as given.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hub.trajectory import FinishReason

Message = Mapping[str, Any]


class Tokenizer(Protocol):
    """What provenance needs of a tokenizer and its chat template."""

    stop_ids: frozenset[int]

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, adding none."""

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, special tokens included."""

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt text for `messages`, up to where the model must go on.

        What tools there are stands in the system message, in the parser's own syntax.
        """


class Said(str):
    """A model's text with the ids it was decoded from: an action that keeps its provenance.

    It is a `str`, so it is an action of any dialogue environment and passes through wrappers.

    Attributes:
        token_ids: `[n] int32` as the engine returned them, the stop token included.
        logprobs: `[n] float32` under the sampling distribution.
        raw_logprobs: `[n] float32` before temperature and truncation, or empty.
        finish_reason: `stop`, `length` or `abort`.
        weight_spans: `(version, start, end)` triples over the ids.
    """

    token_ids: NDArray[np.int32]
    logprobs: NDArray[np.float32]
    raw_logprobs: NDArray[np.float32]
    finish_reason: FinishReason
    weight_spans: tuple[tuple[str, int, int], ...]

    def __new__(
        cls,
        text: str,
        token_ids: Sequence[int] | NDArray[np.int32],
        logprobs: Sequence[float] | NDArray[np.float32],
        finish_reason: FinishReason = "stop",
        weight_spans: Sequence[tuple[str, int, int]] = (),
        raw_logprobs: Sequence[float] | NDArray[np.float32] = (),
    ) -> Said:
        """Make an action of `text` and where it came from; lengths must agree."""
        if len(token_ids) != len(logprobs):
            raise ValueError(f"{len(token_ids)} token ids but {len(logprobs)} logprobs")
        if len(raw_logprobs) not in (0, len(token_ids)):
            raise ValueError(f"{len(token_ids)} token ids but {len(raw_logprobs)} raw logprobs")
        said = super().__new__(cls, text)
        said.token_ids = np.asarray(token_ids, np.int32)
        said.logprobs = np.asarray(logprobs, np.float32)
        said.raw_logprobs = np.asarray(raw_logprobs, np.float32)
        said.finish_reason = finish_reason
        said.weight_spans = tuple(weight_spans)
        return said

    def __reduce__(self) -> tuple[Any, ...]:
        # str's own would forget the arrays, on the way to another process and in a deep copy.
        return Said, (
            str(self),
            self.token_ids,
            self.logprobs,
            self.finish_reason,
            self.weight_spans,
            self.raw_logprobs,
        )


def encodable(said: Any) -> Any:
    """Return an action with U+FFFD for each lone surrogate; what carries ids keeps them.

    No encoding can carry one, but JSON can: a server's reply with half of an escaped pair.
    """
    if not isinstance(said, str) or not any(0xD800 <= ord(c) <= 0xDFFF for c in said):
        return said
    text = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in said)
    if not isinstance(said, Said):
        return text
    kept = (said.finish_reason, said.weight_spans, said.raw_logprobs)
    return Said(text, said.token_ids, said.logprobs, *kept)


@dataclass(frozen=True)
class Piece:
    """Ids appended by one turn.

    Attributes:
        ids: `[n] int32`.
        sampled: `[n] uint8`.
        logprobs: `[n] float32`.
        segment: Index of the sequence that they were appended to.
    """

    ids: NDArray[np.int32]
    sampled: NDArray[np.uint8]
    logprobs: NDArray[np.float32]
    segment: int


class TokenStore:
    """The ids of one episode.

    Attributes:
        segment: Index of the current sequence.
        drifted: Sampled turns whose text alone would encode to other ids than the engine returned.
        splits: Times that the template broke the prefix.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._mask: list[int] = []
        self._logprobs: list[float] = []
        self._messages: list[Message] = []
        # The same with a mark in place of what was said in this sequence, and its prompt so far.
        self._marked: list[Message] = []
        self._prompt = ""
        self._said: dict[str, str] = {}
        self.segment = 0
        self.drifted = 0
        self.splits = 0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> NDArray[np.int32]:
        """The current sequence, what the engine must be sent next, `[n] int32`."""
        return np.asarray(self._ids, np.int32)

    @property
    def mask(self) -> NDArray[np.uint8]:
        """1 where the policy sampled the id, `[n] uint8`."""
        return np.asarray(self._mask, np.uint8)

    @property
    def logprobs(self) -> NDArray[np.float32]:
        """Logprobs of the sampled ids, 0 elsewhere, `[n] float32`."""
        return np.asarray(self._logprobs, np.float32)

    def begin(self, messages: Sequence[Message]) -> Piece:
        """Start with the prompt of `messages`."""
        self._messages = list(messages)
        return self._open()

    def sampled(self, said: str) -> Piece:
        """Append a model turn; a plain `str` is encoded, and counts as not sampled by anybody."""
        # Random and in the private-use area: no text of anybody's holds it, any tokenizer takes it.
        mark = f"\ue000{secrets.token_hex(8)}\ue001"
        self._said[mark] = str(said)
        self._messages.append({"role": "assistant", "content": str(said)})
        self._marked.append({"role": "assistant", "content": mark})
        if not isinstance(said, Said):
            return self._given(self._tokenizer.encode(said))
        ids = said.token_ids.tolist()
        encoded = self._tokenizer.encode(str(said))
        if encoded not in (ids, self._without_stop(ids)) or self._trimmed(mark):
            self.drifted += 1
        return self._append(ids, 1, said.logprobs.tolist())

    def follow(self, messages: Sequence[Message]) -> Piece:
        """Append what the template puts after the last model turn for `messages`."""
        mark = self._marked[-1]["content"]
        self._messages += messages
        self._marked += messages
        prompt = self._tokenizer.render(self._marked)
        stood = self._prompt + mark
        if not prompt.startswith(stood) or not self._verbatim(prompt):
            self.splits += 1
            self.segment += 1
            return self._open()
        self._prompt = prompt
        ids = self._tokenizer.encode(prompt[len(stood) :])
        # The suffix opens with the template's end of turn, which the engine has sampled already.
        if self._ids and ids and ids[0] in self._tokenizer.stop_ids and self._ids[-1] == ids[0]:
            ids = ids[1:]
        return self._given(ids)

    def _open(self) -> Piece:
        """Begin a sequence with the prompt of all messages."""
        self._ids, self._mask, self._logprobs = [], [], []
        self._marked, self._said = list(self._messages), {}
        self._prompt = self._tokenizer.render(self._messages)
        return self._given(self._tokenizer.encode(self._prompt))

    def _without_stop(self, ids: list[int]) -> list[int]:
        return ids[:-1] if ids and ids[-1] in self._tokenizer.stop_ids else ids

    def _trimmed(self, mark: str) -> bool:
        """Tell whether the template puts anything but the last turn's own text into the prompt."""
        real = [*self._marked[:-1], self._messages[-1]]
        marked = self._tokenizer.render(self._marked)
        return self._tokenizer.render(real) != marked.replace(mark, self._said[mark])

    def _verbatim(self, prompt: str) -> bool:
        """Tell whether what was said stands in the real prompt as it was said, white space apart.

        White space that a template trims is kept by us, and counts as drift.
        """
        for mark, said in self._said.items():
            prompt = prompt.replace(mark, said)
        real = self._tokenizer.render(self._messages)
        return "".join(real.split()) == "".join(prompt.split())

    def _given(self, ids: list[int]) -> Piece:
        return self._append(ids, 0, [0.0] * len(ids))

    def _append(self, ids: list[int], sampled: int, logprobs: list[float]) -> Piece:
        mask = [sampled] * len(ids)
        self._ids += ids
        self._mask += mask
        self._logprobs += logprobs
        return Piece(
            np.asarray(ids, np.int32),
            np.asarray(mask, np.uint8),
            np.asarray(logprobs, np.float32),
            self.segment,
        )
