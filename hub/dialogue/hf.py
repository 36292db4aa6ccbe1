"""Tokenizers and chat templates of Hugging Face's `transformers`, for token provenance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from hub.dialogue.tokens import Message, Tokenizer
from hub.errors import MissingDependency, UnknownOption


class HFTokenizer:
    """A `transformers` tokenizer with its chat template.

    Args:
        tokenizer: A fast tokenizer that has a chat template.
        stop_ids: Ids at which the engine stops; default: the tokenizer's end of sequence.
        tool_role: The role under which tools answer; `"user"` for a template without `"tool"`.

    Raises:
        UnknownOption: The tokenizer has no chat template, or no end of sequence.
    """

    def __init__(
        self, tokenizer: Any, stop_ids: Iterable[int] | None = None, tool_role: str = "tool"
    ) -> None:
        if not tokenizer.chat_template:
            raise UnknownOption(
                f"tokenizer {tokenizer.name_or_path!r} has no chat template; "
                "set its chat_template, or take the one of an instruct model"
            )
        if stop_ids is None and tokenizer.eos_token_id is None:
            raise UnknownOption(
                f"tokenizer {tokenizer.name_or_path!r} has no end of sequence; give stop_ids"
            )
        self._tokenizer = tokenizer
        self._tool_role = tool_role
        self.stop_ids = frozenset([tokenizer.eos_token_id] if stop_ids is None else stop_ids)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, adding none; special tokens in it are read as such."""
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, special tokens included."""
        return str(
            self._tokenizer.decode(
                ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt text, up to where the model must go on."""
        renamed = [
            {**m, "role": self._tool_role} if m["role"] == "tool" else dict(m) for m in messages
        ]
        return str(
            self._tokenizer.apply_chat_template(renamed, tokenize=False, add_generation_prompt=True)
        )


def tokenizer_of(given: Any) -> Tokenizer | None:
    """Return the tokenizer of a path, a tokenizer itself, or None.

    Raises:
        UnknownOption: It is something else, or cannot be loaded.
        MissingDependency: As for `load_tokenizer`.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return load_tokenizer(given)
    missing = [
        part for part in ("stop_ids", "encode", "decode", "render") if not hasattr(given, part)
    ]
    if missing:
        wraps = hasattr(given, "apply_chat_template")
        fix = "wrap it: hub.dialogue.HFTokenizer(it)" if wraps else "see hub.dialogue.Tokenizer"
        raise UnknownOption(
            f"tokenizer {given!r:.80}: expected a directory, a .gguf file or a tokenizer with "
            f"stop_ids, encode, decode and render; it has no {missing[0]}; {fix}"
        )
    return cast(Tokenizer, given)


@lru_cache(maxsize=4)
def load_tokenizer(path: str) -> HFTokenizer:
    """Load the tokenizer of a checkpoint's directory, or of a .gguf file; nothing is downloaded.

    Lanes that name one path share the tokenizer: it takes seconds to load and is never changed.

    Raises:
        MissingDependency: `transformers` (for .gguf also `gguf`) is absent.
        UnknownOption: There is no such file or directory, or it holds no tokenizer.
    """
    place = Path(path)
    if not place.exists():
        raise UnknownOption(f"tokenizer {path!r}: there is no such directory or .gguf file")
    gguf = place.is_file()
    try:
        from transformers import AutoTokenizer

        if gguf:
            import gguf as _  # noqa: F401  # transformers says only later that it is absent
    except ImportError as error:
        names = "transformers gguf" if gguf else "transformers"
        raise MissingDependency(f"tokenizer {path!r}: {error}. Fix: pip install {names}") from error
    folder, more = (place.parent, {"gguf_file": place.name}) if gguf else (place, {})
    try:
        made = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, **more)
    except (OSError, ValueError) as error:
        raise UnknownOption(f"tokenizer {path!r} cannot be read: {error}") from error
    return HFTokenizer(made)
