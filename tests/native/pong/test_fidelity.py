"""C Pong against its reference by the ladder; its mutants; its hash."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hub.errors import DeclarationError
from hub.fidelity import Run
from hub.fidelity.ladder import level_reached, run_ladder
from hub.fidelity.mutants import run_mutants
from hub.fidelity.sources import check_build, embedded_hash, engine_hash
from tests import need

pytestmark = pytest.mark.native
need.module("scipy")
need.module("hub_pong._core")
from hub_pong.fidelity import DECLARATION  # noqa: E402 - only once the core is known to be there
from hub_pong.mutants import EDITS  # noqa: E402 - likewise
from hub_pong.mutated import SOURCES, mutated  # noqa: E402 - likewise

CHECKOUT = Path(__file__).parents[3] / "native" / "pong"


def needs_sources() -> None:
    if not SOURCES.is_dir():
        need.missing("C Pong's sources: install it with `pip install -e native/pong`")
    need.program("cc")


def test_a_sample_of_three_levels_passes() -> None:
    reports = run_ladder(DECLARATION, Run(level=3, sample=0.02))
    assert level_reached(reports) == 3, reports[-1].detail


def test_the_binary_carries_the_hash_of_its_sources() -> None:
    check_build(DECLARATION.sources)
    assert len(embedded_hash(DECLARATION.sources)) == 64
    assert len(engine_hash(DECLARATION.sources)) == 64


def test_every_source_of_the_core_is_in_the_hash() -> None:
    named = {Path(name).name for name in DECLARATION.sources.compiled}
    assert named == {path.name for path in (CHECKOUT / "csrc").iterdir()} | {"CMakeLists.txt"}


def test_the_mutants_are_of_every_kind() -> None:
    kinds = Counter(mutant.kind for mutant in DECLARATION.mutants)
    assert sum(kinds.values()) >= 30
    assert set(kinds) == {
        *("constant", "sign", "order", "missing case", "off-by-one", "lost randomness")
    }


def test_every_edit_is_found_exactly_once() -> None:
    for name, _, _, file, old, _ in EDITS:
        assert (CHECKOUT / "csrc" / file).read_text().count(old) == 1, name


def test_an_unaltered_copy_passes_where_mutants_fail() -> None:
    needs_sources()
    with mutated("pong.h", "PONG_SPIN 3.0f", "PONG_SPIN (3.0f)"):
        reports = run_ladder(DECLARATION, Run(level=3, sample=0.01))
    assert level_reached(reports) == 3, reports[-1].detail


def test_an_edit_must_be_found_exactly_once() -> None:
    needs_sources()
    with (
        pytest.raises(DeclarationError, match=r"0 times in pong\.h"),
        mutated("pong.h", "no such text", ""),
    ):
        pass


@pytest.mark.slow
def test_every_mutant_is_caught() -> None:
    needs_sources()
    report = run_mutants(DECLARATION, Run(sample=0.1))
    assert report.survivors == ()
    assert report.passed
    assert report.shares[1] + report.shares[2] > 0.9
