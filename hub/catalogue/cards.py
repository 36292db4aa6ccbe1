"""The cards that ship with the core.

A native distribution owns its cards and registers them itself. The core ships a copy, written by
`python -m hub.catalogue` from the installed distributions and held equal by a test, so that an
environment that is absent stays listed with the reason and the fix.
"""

from __future__ import annotations

import json
from importlib.resources import files

from hub.registry import EnvCard


def catalogue_cards() -> list[EnvCard]:
    """Return the cards that ship with the core."""
    text = files("hub.catalogue").joinpath("cards.json").read_text(encoding="utf-8")
    return [EnvCard.from_json(data) for data in json.loads(text)]
