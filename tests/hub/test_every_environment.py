"""Every registered environment passes the conformance suite."""

from __future__ import annotations

import pytest

import hub
from hub.conformance import check
from tests import need

IDS = [card.id for card in hub.PLUGINS.registry]


@pytest.mark.slow
@pytest.mark.parametrize("env_id", IDS or [pytest.param(None, marks=pytest.mark.skip("no ids"))])
def test_every_registered_environment_passes(env_id: str) -> None:
    card = hub.PLUGINS.registry.card(env_id)
    if card.missing():
        need.missing(f"{card.id} {card.reason()}")
    report = check(env_id)
    assert report.status == "pass", str(report)
