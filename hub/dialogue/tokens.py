"""Token provenance: the append-only ids of an episode, with mask and logprobs.

What the engine sampled is stored as it came and never encoded again. After a sampled turn only
the template's own text around the next messages is encoded: the template is rendered once with a
sentinel in place of the model's text, and what follows the sentinel is the suffix to append. Where
the template rewrites what stood before (some drop earlier reasoning), the stored ids are no prefix
of the new prompt: the sequence is split there, and the split is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hub.trajectory import FinishReason

Message = Mapping[str, Any]

# Private-use characters: no text of ours holds them and every tokenizer can encode them.
_SENTINEL = "\ue000sampled\ue001"


class Tokenizer(Protocol):
    """What provenance needs of a tokenizer and its chat template."""

    stop_ids: frozenset[int]

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, adding none."""

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, special tokens included."""

    def render(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> str:
        """Return the prompt text for `messages`, up to where the model must go on."""


class Said(str):
    """A model's text with the ids it was decoded from: an action that keeps its provenance.

    It is a `str`, so it is an action of any dialogue environment and passes through wrappers.

    Attributes:
        token_ids: `[n] int32` as the engine returned them, the stop token included.
        logprobs: `[n] float32` under the sampling distribution.
        finish_reason: `stop`, `length` or `abort`.
        weight_spans: `(version, start, end)` triples over the ids.
    """

    token_ids: NDArray[np.int32]
    logprobs: NDArray[np.float32]
    finish_reason: FinishReason
    weight_spans: tuple[tuple[str, int, int], ...]

    def __new__(
        cls,
        text: str,
        token_ids: Sequence[int] | NDArray[np.int32],
        logprobs: Sequence[float] | NDArray[np.float32],
        finish_reason: FinishReason = "stop",
        weight_spans: Sequence[tuple[str, int, int]] = (),
    ) -> Said:
        """Make an action of `text` and where it came from; lengths must agree."""
        if len(token_ids) != len(logprobs):
            raise ValueError(f"{len(token_ids)} token ids but {len(logprobs)} logprobs")
        said = super().__new__(cls, text)
        said.token_ids = np.asarray(token_ids, np.int32)
        said.logprobs = np.asarray(logprobs, np.float32)
        said.finish_reason = finish_reason
        said.weight_spans = tuple(weight_spans)
        return said


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
        drifted: Sampled turns whose text encodes to other ids than the engine returned.
        splits: Times that the template broke the prefix.
    """

    def __init__(self, tokenizer: Tokenizer, tools: Sequence[Mapping[str, Any]] = ()) -> None:
        self._tokenizer = tokenizer
        self._tools = tools
        self._ids: list[int] = []
        self._mask: list[int] = []
        self._logprobs: list[float] = []
        self._messages: list[Message] = []
        self.segment = 0
        self.drifted = 0
        self.splits = 0

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
        return self._given(self._tokenizer.encode(self._render(self._messages)))

    def sampled(self, said: str) -> Piece:
        """Append a model turn; a plain `str` is encoded, and counts as not sampled by anybody."""
        self._messages.append({"role": "assistant", "content": str(said)})
        if not isinstance(said, Said):
            return self._given(self._tokenizer.encode(said))
        body = [i for i in said.token_ids.tolist() if i not in self._tokenizer.stop_ids]
        if self._tokenizer.encode(str(said)) != body:
            self.drifted += 1
        return self._append(said.token_ids.tolist(), 1, said.logprobs.tolist())

    def follow(self, messages: Sequence[Message]) -> Piece:
        """Append what the template puts after the last model turn for `messages`."""
        before = self._messages
        self._messages = [*before, *messages]
        marked = [*before[:-1], {**before[-1], "content": _SENTINEL}]
        head, _, _ = self._render(marked).partition(_SENTINEL)
        new_head, found, suffix = self._render([*marked, *messages]).partition(_SENTINEL)
        if not found or new_head != head:
            return self._split()
        ids = self._tokenizer.encode(suffix)
        # The suffix opens with the template's end of turn, which the engine has sampled already.
        if self._ids and ids and ids[0] in self._tokenizer.stop_ids and self._ids[-1] == ids[0]:
            ids = ids[1:]
        return self._given(ids)

    def _split(self) -> Piece:
        self.splits += 1
        self.segment += 1
        self._ids, self._mask, self._logprobs = [], [], []
        return self._given(self._tokenizer.encode(self._render(self._messages)))

    def _render(self, messages: Sequence[Message]) -> str:
        return self._tokenizer.render(messages, self._tools)

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
