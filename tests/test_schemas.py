"""The name of every JSON document is told to programs and held by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r'"(hub(?:\.[a-z]+)+/\d+)"')


def names(*places: str) -> set[str]:
    """Names of documents, as they stand in the Python files of `places`, this one left out."""
    files = {file for place in places for file in (ROOT / place).rglob("*.py")}
    return {
        name
        for file in files - {Path(__file__)}
        for name in NAME.findall(file.read_text(encoding="utf-8"))
    }


WRITTEN = sorted(names("hub", "plugins", "native"))
HELD = names("tests")


def test_the_documents_are_found() -> None:
    assert {"hub.list/1", "hub.certificate/1", "hub.policy/1"} <= set(WRITTEN)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_documents_name_stands_in_contributing_and_in_a_test(name: str) -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"\n| `{name}` |" in table, f"{name}: CONTRIBUTING's table of schemas has no line for it"
    assert name in HELD, f"{name}: no test names it"
