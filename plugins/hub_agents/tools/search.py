"""`search`: a search over local texts, on the host; nothing leaves the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from hub.dialogue import Session, ToolResult, read_rows
from hub.errors import TaskError
from hub_agents.bm25 import Document, Index, passage

TEXTS = (".txt", ".md", ".rst")
ROWS = (".json", ".jsonl", ".parquet")
PASSAGE = 800  # code points shown of a result


class Search:
    """Ranks the texts of a file or directory by the words of a query (`hub_agents.bm25`).

    The sandbox stays offline: the index is read on the host, by this process.

    Args:
        path: A text (.txt, .md, .rst), rows with `text` and, where they have one, `title` or `id`
            (.json, .jsonl, .parquet), or a directory that holds such files, at any depth.

    Raises:
        TaskError: There is nothing to search, or a row has no text.
    """

    schema: Mapping[str, Any] = {
        "name": "search",
        "description": "Search the local library by words; returns the best passages.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to look for."},
                "k": {"type": "integer", "minimum": 1, "maximum": 20, "description": "Results, 5."},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    }

    def __init__(self, path: str) -> None:
        self._index = _index(path)
        if not len(self._index):
            raise TaskError(
                f"search index {path!r}: no text there; expected {', '.join((*TEXTS, *ROWS))}"
            )

    def run(self, arguments: Mapping[str, Any], session: Session) -> ToolResult:
        """Search for `query`."""
        query = arguments["query"]
        hits = self._index.search(query, arguments.get("k", 5))
        if not hits:
            return ToolResult(f"nothing in {len(self._index)} texts holds a word of {query!r}")
        shown = (
            f"[{number}] {hit.document.name}\n{passage(hit.document.text, query, PASSAGE)}"
            for number, hit in enumerate(hits, 1)
        )
        return ToolResult("\n\n".join(shown))


@lru_cache(maxsize=4)
def _index(path: str) -> Index:
    """Read an index once for all lanes; a file that changes later is not read again."""
    return Index(documents(Path(path)))


def documents(path: Path) -> Iterator[Document]:
    """Yield the texts of a file or directory, in the order of their names.

    Raises:
        TaskError: There is no such file, or a row has no text.
    """
    if not path.exists():
        raise TaskError(f"search index {str(path)!r}: there is no such file or directory")
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    for file in files:
        name = str(file.relative_to(path)) if path.is_dir() else file.name
        if file.suffix in TEXTS:
            yield Document(name, file.read_text(encoding="utf-8", errors="replace"))
        elif file.suffix in ROWS:
            for number, row in enumerate(read_rows(file), 1):
                if not isinstance(row.get("text"), str):
                    raise TaskError(f"{file} row {number}: text {row.get('text')!r}: expected text")
                title = row.get("title", row.get("id", f"{name} row {number}"))
                yield Document(str(title), row["text"])
