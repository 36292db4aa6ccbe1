"""Cards of first-party environments whose distribution is not installed.

A native distribution owns its cards and registers them itself. The core ships a copy, written by
`python -m hub.catalogue` from the installed distributions and held equal by a test, so that an
environment that is absent stays listed with the reason and the fix.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from hub.registry import EnvCard


def catalogue_cards() -> list[EnvCard]:
    """Return the cards that ship with the core."""
    text = files("hub").joinpath("catalogue.json").read_text(encoding="utf-8")
    return [EnvCard.from_json(data) for data in json.loads(text)]


def installed_cards() -> list[EnvCard]:
    """Return the cards that first-party distributions other than the core registered here."""
    from hub.plugins import FIRST_PARTY, PLUGINS

    others = FIRST_PARTY - {"gymhub"}
    ids = [i for r in PLUGINS.records if r.distribution in others for i in r.envs]
    return [PLUGINS.registry.card(env_id) for env_id in sorted(ids)]


def merged() -> str:
    """Return the catalogue's text: installed cards, and what it holds of absent distributions."""
    cards = {card.id: card for card in catalogue_cards() if card.missing()}
    cards.update((card.id, card) for card in installed_cards())
    return json.dumps([cards[i].to_json() for i in sorted(cards)], indent=1) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("catalogue.json").write_text(merged(), encoding="utf-8")
