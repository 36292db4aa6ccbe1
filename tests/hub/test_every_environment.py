"""Every registered environment passes the conformance suite."""

from __future__ import annotations

import pytest

import hub
from hub.conformance import check
from hub.plugins import load
from tests import need

# Many times the default: HalfCheetah compiles for four minutes of processor time in the processes
# that the rules want, and a busy machine must leave no rule without its time.
SECONDS = 900.0
IDS = [card.id for card in hub.PLUGINS.registry]


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("env_id", IDS or [pytest.param(None, marks=pytest.mark.skip("no ids"))])
def test_every_registered_environment_passes(env_id: str) -> None:
    card = hub.PLUGINS.registry.card(env_id)
    if card.missing():
        need.missing(f"{card.id} {card.reason()}")
    report = check(env_id, SECONDS)
    assert report.status == "pass", str(report)
    unchecked = [c.name for c in report.checks if c.message.startswith("out of time")]
    assert not unchecked, f"not checked within {SECONDS:.0f} s: {unchecked}"


@pytest.mark.parametrize("env_id", IDS or [pytest.param(None, marks=pytest.mark.skip("no ids"))])
def test_no_metadata_speaks_of_torch(env_id: str) -> None:
    """Gymnasium's checker then looks for a wrapper that does not exist."""
    card = hub.PLUGINS.registry.card(env_id)
    if card.missing():
        need.missing(f"{card.id} {card.reason()}")
    for target in filter(None, (card.entry_point, card.vector_entry_point)):
        assert "torch" not in load(target).metadata
