"""The HTML page of a run: one self-contained file."""
from typing import Any


def page(data: dict[str, Any]) -> str:
    """Return the page of a document."""
    return ""
