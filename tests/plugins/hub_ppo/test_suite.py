from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from hub.bench import Plan, Row
from hub_ppo import network, paper, suite
from hub_ppo.members import PARTS, PUFFER
from tests import need

need.module("torch")
need.module("jax")
puffer = need.module("hub_pong.puffer")


def importable() -> bool:
    """Whether PufferLib's Pong takes part here."""
    try:
        gymnasium.make_vec(PUFFER, 1).close()
    except ImportError:
        return False
    return True


PONG = list(suite.FAMILIES["Pong"])
PEER = [PUFFER] if importable() else []
PLAN = Plan(rounds=2, seconds=0.01, quick=True)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Networks of eight units, and the process's cores as they were."""
    for kind in suite.WIDTHS:
        monkeypatch.setitem(suite.WIDTHS, kind, dict.fromkeys(suite.SHAPES, 8))
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


def measure(family: str, **changes: Any) -> list[Row]:
    ids = list(suite.FAMILIES[family])
    job = {"family": family, "size": "2M", "ids": ids, "gpu": False, **changes}
    return list(suite.measure(PLAN, job))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_every_member_has_a_rate_beside_its_reference_and_three_shares() -> None:
    rows = measure("Pong")
    rates = {row.id: row for row in rows if row.unit == "steps/s" and not row.skipped}
    assert list(rates) == [*PONG, *PEER]
    for env_id, (_, _, reference) in suite.FAMILIES["Pong"].items():
        assert rates[env_id].reference == reference
        assert (rates[env_id].ratio is None) == (not reference)
    for env_id in PEER:
        assert rates[env_id].reference == PONG[1]
    for env_id in [*PONG, *PEER]:
        shares = [r.median or 0 for r in rows if (r.id, r.unit) == (env_id, "%")]
        assert len(shares) == len(PARTS)
        assert sum(shares) == pytest.approx(100, abs=25)  # medians of shares, each of two rounds
        assert shares[0] > 0


@pytest.mark.usefixtures("small")
def test_pufferlib_is_skipped_with_the_reason_where_it_is_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("pufferlib", "pufferlib.ocean.pong.pong"):
        monkeypatch.setitem(sys.modules, name, None)
    puffer.load.cache_clear()
    (row,) = (r for r in measure("Pong", ids=PONG[:1]) if r.id == PUFFER)
    assert row.median is None
    assert row.skipped.startswith("PufferLib's Pong cannot be imported: ModuleNotFoundError")


def test_without_a_gpu_the_papers_batches_say_so() -> None:
    if not suite._no_gpu():
        pytest.skip("there is a GPU")
    rows = list(suite._on_gpu(PLAN, "Pong", PONG))
    assert {row.skipped for row in rows} == {"no GPU here"}
    assert [row.case for row in rows[:3]] == [
        f"gru 2M on GPU lanes={lanes}" for lanes in (4096, 32768, 65536)
    ]


def test_a_network_that_does_not_fit_is_skipped_with_the_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    2097152 kB\n")
    monkeypatch.setattr(suite, "MEMORY", meminfo)
    assert suite._short_of_memory("200M") == "needs 7.5 GiB of memory, 2.0 are free"
    assert suite._short_of_memory("2M") == ""


def test_the_papers_figures_have_rows_of_their_own_and_no_ratio() -> None:
    rows = list(paper.rows("train", ["Pong"]))
    assert {row.id for row in rows} == {paper.MACHINE}
    assert "RTX 5090" in paper.MACHINE
    assert all(row.ratio is None and row.reference == "" for row in rows)
    assert [r.median for r in rows if r.unit == "%"][-1] == 4


@pytest.mark.parametrize("kind", ["gru", "mlp"])
@pytest.mark.parametrize("size", ["2M", "20M", "200M"])
def test_a_network_has_the_size_of_its_name(kind: str, size: str) -> None:
    inputs, outputs = (8, 3) if kind == "gru" else (17, 6)
    hidden, continuous = suite.WIDTHS[kind][size], kind == "mlp"
    shapes = network.shapes(
        network=kind, hidden=hidden, inputs=inputs, outputs=outputs, continuous=continuous
    )
    count = sum(
        shape[0] * (shape[1] if len(shape) > 1 else 1)
        for name, shape in shapes.items()
        if name not in network.STATISTICS
    )
    assert count == pytest.approx(1e6 * float(size.removesuffix("M")), rel=0.03)
