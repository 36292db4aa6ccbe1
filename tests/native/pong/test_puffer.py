"""PufferLib's Pong as a peer: what happens where it is absent, and the agents that play it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest

from hub.bench import Plan, throughput
from hub.fidelity.peers import run_peers
from hub.plugins import PLUGINS
from tests import need

pytestmark = pytest.mark.native
need.module("hub_pong._core")
from hub_pong import puffer  # noqa: E402 - only once the core is known to be there
from hub_pong.fidelity import DECLARATION, ID  # noqa: E402 - likewise
from hub_pong.players import foreseen  # noqa: E402 - likewise

PUFFERLIB = "hub_pong.puffer:PufferLibPong-v0"
REASON = "PufferLib's Pong cannot be imported: ModuleNotFoundError: import of pufferlib"


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No PufferLib, whether this process has it or not."""
    for name in ("pufferlib", "pufferlib.ocean.pong.pong"):
        monkeypatch.setitem(sys.modules, name, None)
    puffer.load.cache_clear()
    yield
    puffer.load.cache_clear()


@pytest.mark.usefixtures("absent")
def test_absent_it_cannot_be_made_and_the_error_says_why() -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ImportError, match=REASON):
            make(PUFFERLIB)


@pytest.mark.usefixtures("absent")
def test_absent_it_is_skipped_in_level_three_with_the_reason() -> None:
    (report,) = run_peers(DECLARATION, 0.01)
    assert report.state == "skipped"
    assert report.detail.startswith(REASON)


@pytest.mark.usefixtures("absent")
def test_absent_it_has_a_row_of_the_benchmark_that_says_so() -> None:
    cores = os.sched_getaffinity(0)
    try:
        plan = Plan(lanes=(1024,), seconds=0.001, rounds=1, quick=True)
        rows = {row.case: row for row in throughput.measure(plan, ID)}
    finally:
        os.sched_setaffinity(0, cores)
    peer = f"{PUFFERLIB} make_vec lanes=1024 copy=false"
    assert (rows[peer].median, rows[peer].error) == (None, "")
    assert REASON in rows[peer].skipped
    goal = rows[f"make_vec lanes=1024 copy=false over {peer}"]
    assert goal.skipped == f"not measured: {peer}"


def test_it_is_no_id_of_the_hub() -> None:
    assert PUFFERLIB not in PLUGINS.registry
    assert puffer.ID in gymnasium.registry


def test_rules_that_are_not_pufferlibs_are_refused() -> None:
    with pytest.raises(ValueError, match="compat None: expected 'puffer'"):
        puffer.PufferLibPongEnv(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("frame_skip", [1, 8])
def test_the_agent_that_foresees_the_ball_never_misses_and_wins(frame_skip: int) -> None:
    env = gymnasium.make_vec(ID, 4, compat="puffer", frame_skip=frame_skip)
    seen, _ = env.reset(seed=0)
    rewards = []
    for _ in range(8_400 // frame_skip):
        seen, reward, *_ = env.step(np.array([foreseen(one) for one in seen]))
        rewards.append(reward)
    env.close()
    points = np.array(rewards)
    assert not (points == -1).any()
    assert ((points == 1).sum(axis=0) >= 21).all()
