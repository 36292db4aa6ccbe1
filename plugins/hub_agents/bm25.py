"""A text index in memory, ranked by BM25.

Okapi BM25 (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework", section 3) with
k1 = 1.2, b = 0.75 and the never-negative idf ln(1 + (N - n + 0.5) / (n + 0.5)).
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Document:
    """One searchable text.

    Attributes:
        name: What results call it.
        text: Its text.
    """

    name: str
    text: str


@dataclass(frozen=True)
class Hit:
    """One result: the document and its score, above 0."""

    document: Document
    score: float


def words(text: str) -> list[str]:
    """Return the words of `text`, compatibility forms and case folded."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


class Index:
    """Documents and the words in them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths = []
        for number, document in enumerate(self._documents):
            found = words(f"{document.name} {document.text}")
            self._lengths.append(len(found))
            for word, count in Counter(found).items():
                self._postings[word].append((number, count))
        self._mean = sum(self._lengths) / max(1, len(self._lengths)) or 1.0

    def __len__(self) -> int:
        return len(self._documents)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the `k` best documents that hold a word of `query`, the best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words(query)):
            found = self._postings.get(word, [])
            idf = math.log(1 + (len(self) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean)
                scores[number] += idf * count * (K1 + 1) / (count + norm)
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
        return [Hit(self._documents[number], score) for number, score in best]


def passage(text: str, query: str, size: int) -> str:
    """Return about `size` code points of `text` around the place that holds most of `query`."""
    if len(text) <= size:
        return text
    wanted = set(words(query))
    at = [m.start() for m in _WORD.finditer(text) if set(words(m[0])) & wanted]
    held = [bisect_left(at, start + size) - number for number, start in enumerate(at)]
    best = at[held.index(max(held))] if at else 0
    start = max(0, min(best - size // 10, len(text) - size))
    dots = ("..." if start else "", "..." if start + size < len(text) else "")
    return f"{dots[0]}{text[start : start + size]}{dots[1]}"
