"""The certificates in the tree: readable, complete, and silent about who made them."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from hub.fidelity.certificate import read_certificate

ROOT = Path(__file__).parents[3]
COMMITTED = sorted(
    path for room in ("native", "plugins") for path in (ROOT / room).rglob("certificates/*.json")
)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_certificate_shows_at_least_three_levels(path: Path) -> None:
    certificate = read_certificate(path)
    assert certificate.level >= 3
    assert certificate.id.endswith(f"/{path.stem}")
    for level in ("1", "2", "3"):
        assert certificate.levels[level]["state"] == "passed"


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_certificate_does_not_name_its_machine(path: Path) -> None:
    text = path.read_text()
    assert platform.node() not in text
    assert str(ROOT) not in text


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_no_mutant_of_a_committed_certificate_survives(path: Path) -> None:
    mutants = read_certificate(path).mutants
    if mutants is None:
        pytest.skip("this certificate was made without the mutants (`hub verify ID --mutants`)")
    assert mutants["survivors"] == []
    assert len(mutants["rows"]) >= 30
