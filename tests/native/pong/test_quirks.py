"""CONTRIBUTING's table of PufferLib's quirks names tests, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_test_that_the_table_of_quirks_names_exists() -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = section.partition("### Quirks of PufferLib's Pong")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    named = [re.findall(r"`(test_\w+)`", row) for row in rows]
    assert len(named) == 8
    rules = (ROOT / "tests/native/pong/test_rules.py").read_text(encoding="utf-8")
    written = set(re.findall(r"^def (test_\w+)", rules, re.MULTILINE))
    assert all(tests and set(tests) <= written for tests in named), named
