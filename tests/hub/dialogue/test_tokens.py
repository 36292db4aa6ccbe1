"""Token provenance with a toy tokenizer and templates: what is sent is what was stored (B51)."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.dialogue import Said, TokenStore
from hub.dialogue.tokens import Message, Piece
from tests.hub.dialogue.toy import call, make

START, END = "<|s|>", "<|e|>"
SPECIAL = {START: 1, END: 2}
PAIR = 3  # "ab" as one token: text that encodes to it can also be sampled as two


class ToyTokenizer:
    """Code points above the special ids, with one merge; several templates."""

    stop_ids = frozenset({2})

    def __init__(self, template: str = "plain") -> None:
        self.template = template

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        while text:
            special = next((s for s in SPECIAL if text.startswith(s)), "")
            if special:
                ids.append(SPECIAL[special])
            elif text.startswith("ab"):
                special = "ab"
                ids.append(PAIR)
            else:
                special = text[0]
                ids.append(10 + ord(special))
            text = text[len(special) :]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        known = {1: START, 2: END, PAIR: "ab"}
        return "".join(known.get(i) or chr(i - 10) for i in ids)

    def render(self, messages: Sequence[Message]) -> str:
        parts = []
        for number, message in enumerate(messages):
            content, later = message["content"], number < len(messages) - 1
            if message["role"] == "assistant":
                if self.template == "trims":
                    content = content.strip()
                if self.template == "forgets" and later:
                    content = content.rpartition("</think>")[2]
            parts.append(f"{START}{message['role']}\n{content}{END}\n")
        if self.template == "counts":
            parts.insert(0, f"{len(messages)} messages\n")
        return "".join(parts) + f"{START}assistant\n"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="<|>"), max_size=30)


@st.composite
def sampled(draw: st.DrawFn) -> Said:
    """A turn as an engine samples it: any segmentation, stopped or cut."""
    text = draw(TEXT)
    canonical = ToyTokenizer().encode(text)
    ids = [j for i in canonical for j in (draw(st.sampled_from([[i], [10 + 97, 10 + 98]]))
                                          if i == PAIR else [i])]  # fmt: skip
    stop = draw(st.booleans())
    ids += [2] if stop else []
    logprobs = draw(st.lists(st.floats(-20, 0, width=32), min_size=len(ids), max_size=len(ids)))
    return Said(text, ids, logprobs, "stop" if stop else "length")


def play(tokenizer: ToyTokenizer, turns: Sequence[Said | str], answers: Sequence[str]) -> tuple[
    TokenStore, list[Piece], list[list[int]]
]:  # fmt: skip
    """Play a conversation; return the store, its pieces, and what the engine was sent."""
    store = TokenStore(tokenizer)
    pieces = [store.begin([{"role": "user", "content": "task"}])]
    sent = []
    for said, answer in zip(turns, answers, strict=True):
        sent.append(store.ids.tolist())
        pieces.append(store.sampled(said))
        pieces.append(store.follow([{"role": "tool", "content": answer}]))
    sent.append(store.ids.tolist())
    return store, pieces, sent


@given(st.lists(st.tuples(sampled(), TEXT), min_size=1, max_size=4))
def test_the_ids_sent_are_the_pieces_stored_and_only_sampled_ids_are_masked_in(
    turns: list[tuple[Said, str]],
) -> None:
    store, pieces, sent = play(ToyTokenizer(), [t for t, _ in turns], [a for _, a in turns])
    joined = [i for piece in pieces for i in piece.ids.tolist()]
    assert store.ids.tolist() == joined == sent[-1]
    for early, late in itertools.pairwise(sent):
        assert late[: len(early)] == early
    said = [i for turn, _ in turns for i in turn.token_ids.tolist()]
    assert store.ids[store.mask == 1].tolist() == said
    given_logprobs = [p for turn, _ in turns for p in turn.logprobs.tolist()]
    assert store.logprobs[store.mask == 1].tolist() == given_logprobs
    assert not store.logprobs[store.mask == 0].any()
    assert (store.splits, store.segment) == (0, 0)
    bodies = [(turn, [i for i in turn.token_ids if i != 2]) for turn, _ in turns]
    assert store.drifted == sum(ToyTokenizer().encode(turn) != body for turn, body in bodies)


@given(st.lists(st.tuples(sampled(), TEXT), min_size=1, max_size=3))
def test_the_text_of_the_ids_is_the_rendered_conversation(turns: list[tuple[Said, str]]) -> None:
    tokenizer = ToyTokenizer()
    store, _, _ = play(tokenizer, [t for t, _ in turns], [a for _, a in turns])
    messages: list[Message] = [{"role": "user", "content": "task"}]
    for said, answer in turns:
        messages += [{"role": "assistant", "content": said}, {"role": "tool", "content": answer}]
    assert tokenizer.decode(store.ids.tolist()) == tokenizer.render(messages)


def test_the_stop_token_stands_once_whether_sampled_given_or_written_in_the_text() -> None:
    tokenizer = ToyTokenizer()
    ways = {
        "sampled": Said("hi", [*tokenizer.encode("hi"), 2], [0.0] * 3),
        "cut": Said("hi", tokenizer.encode("hi"), [0.0] * 2, "length"),
        "in the text": Said(f"hi{END}", [*tokenizer.encode("hi"), 2], [0.0] * 3),
        "nobody's": "hi",
    }
    masks = {}
    for name, said in ways.items():
        store, _, sent = play(tokenizer, [said], ["ok"])
        expected = f"{START}user\ntask{END}\n{START}assistant\nhi{END}\n{START}tool\nok{END}\n"
        assert tokenizer.decode(sent[-1]) == f"{expected}{START}assistant\n", name
        assert (store.drifted, store.splits) == (0, 0), name
        masks[name] = int(store.mask.sum())
    assert masks == {"sampled": 3, "cut": 2, "in the text": 3, "nobody's": 0}


def test_another_segmentation_is_kept_and_counted_as_drift() -> None:
    store, _, _ = play(ToyTokenizer(), [Said("ab", [107, 108, 2], [0.0] * 3)], ["ok"])
    assert store.ids[store.mask == 1].tolist() == [107, 108, 2]
    assert (store.drifted, store.splits) == (1, 0)


def test_a_template_that_trims_is_drift_and_the_text_stays_as_it_was_said() -> None:
    tokenizer = ToyTokenizer("trims")
    turns = [Said(" hi\n", [*tokenizer.encode(" hi\n"), 2], [0.0] * 5), Said("x", [130, 2], [0, 0])]
    store, _, _ = play(tokenizer, turns, ["ok", "ok"])
    assert (store.drifted, store.splits) == (1, 0)
    assert f"{START}assistant\n hi\n{END}" in tokenizer.decode(store.ids.tolist())


def test_a_template_that_forgets_reasoning_splits_and_the_split_is_counted() -> None:
    tokenizer = ToyTokenizer("forgets")
    text = "<think>hm</think>yes"
    said = Said(text, [*tokenizer.encode(text), 2], [0.0] * (len(text) + 1))
    store, pieces, _ = play(tokenizer, [said, Said("no", [120, 121, 2], [0.0] * 3)], ["1", "2"])
    assert (store.splits, store.segment) == (1, 1)
    assert [piece.segment for piece in pieces] == [0, 0, 1, 1, 1]
    assert "hm" not in tokenizer.decode(store.ids.tolist())
    assert store.ids[store.mask == 1].tolist() == [120, 121, 2]


def test_a_template_that_rewrites_its_head_splits_at_every_turn() -> None:
    turns = [Said("a", [107, 2], [0.0, 0.0])] * 3
    store, _, _ = play(ToyTokenizer("counts"), turns, ["1", "2", "3"])
    assert (store.splits, store.segment) == (3, 3)


@pytest.mark.parametrize(("template", "segments"), [("plain", 1), ("counts", 3)])
def test_three_turns_keep_every_token_in_the_trajectorys_samples(
    template: str, segments: int
) -> None:
    tokenizer = ToyTokenizer(template)
    env = make(tokenizer=tokenizer)
    _, info = env.reset(options={"task": "1+1"})
    sent = [info["tokens"]["ids"]]
    lines = [call("add", a=1, b=1), "<tool_call>", "2"]
    for line in lines:
        ids = [*tokenizer.encode(line), 2]
        info = env.step(Said(line, ids, [-0.5] * len(ids), weight_spans=[("v1", 0, len(ids))]))[4]
        sent.append(info["tokens"]["ids"])
    samples = env.trajectory().samples()
    assert len(samples) == segments == info["tokens"]["splits"] + 1
    assert samples[-1].tokens.tolist() == sent[-1].tolist()
    assert sum(int(s.loss_mask.sum()) for s in samples) == sum(
        len(tokenizer.encode(line)) + 1 for line in lines
    )
    for sample in samples:
        assert sample.logprobs[sample.loss_mask == 1].tolist() == [-0.5] * int(
            sample.loss_mask.sum()
        )
    assert env.trajectory().turns[2].weight_spans[0].version == "v1"


def test_the_token_budget_counts_the_whole_sequence_and_cuts_no_turn() -> None:
    tokenizer = ToyTokenizer()
    env = make(tokenizer=tokenizer, budget={"tokens": 900})
    info = env.reset(options={"task": "1+1"})[1]
    steps, truncated = 0, False
    while not truncated:
        line = call("add", a=1, b=1)
        ids = tokenizer.encode(line)
        _, _, _, truncated, info = env.step(Said(line, ids, [0.0] * len(ids)))
        steps += 1
    assert info["reason"] == "tokens"
    assert steps > 1
    assert int(info["tokens"]["mask"].sum()) == steps * len(ids)
    assert len(info["tokens"]["ids"]) >= 900


def test_a_said_survives_pickling_and_copying_and_refuses_lengths_that_differ() -> None:
    said = Said("hi", [5, 2], [-0.1, -0.2], "length", [("v", 0, 2)], [-1.0, -2.0])
    for twin in (pickle.loads(pickle.dumps(said)), copy.deepcopy(said)):
        assert twin == said == "hi"
        assert twin.token_ids.tolist() == [5, 2]
        assert np.array_equal(twin.raw_logprobs, said.raw_logprobs)
        assert (twin.finish_reason, twin.weight_spans) == ("length", (("v", 0, 2),))
    with pytest.raises(ValueError, match="2 token ids but 1 logprobs"):
        Said("hi", [5, 2], [0.0])
    with pytest.raises(ValueError, match="2 token ids but 1 raw logprobs"):
        Said("hi", [5, 2], [0.0, 0.0], raw_logprobs=[0.0])
