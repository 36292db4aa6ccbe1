r"""Answers made of words (`\text{even}`, `Evelyn`, `no solution`), compared literally.

math-verify would read bare words as products of letters, so that `neve` were `even`.
"""

from __future__ import annotations

import re
from itertools import pairwise

MOST = 3  # words of an answer; more are prose, which nobody repeats word by word
_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|operatorname)\s*\{([^{}]*)\}")
_SPACES = re.compile(r"\\[,;:! ]|~|\s+")
_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|[ ,.;:'’?-])*")  # noqa: RUF001  # texts have this sign
_BETWEEN = re.compile(r"[ ,.;:'’?-]+")  # noqa: RUF001  # so do they


def words(answer: str) -> tuple[str, ...]:
    """Return the words of an answer that holds nothing else, in small letters; else an empty tuple.

    One of them must be a word for certain: of three letters or more, not in the order of the
    alphabet as products of variables (`abc`) are written. So `A`, `xy` and `2 apples` are none.
    """
    plain = " ".join(_SPACES.sub(" ", _TEXT.sub(r" \1 ", answer)).split()).strip("().")
    if not _WORDS.fullmatch(plain):
        return ()
    found = tuple(word for word in _BETWEEN.split(plain.casefold()) if word)
    return found if any(len(word) > 2 and not _ascending(word) for word in found) else ()


def _ascending(word: str) -> bool:
    return all(left < right for left, right in pairwise(word))
