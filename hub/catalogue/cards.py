"""The cards that ship with the core.

A native distribution owns its cards and registers them itself. The core ships a copy, written by
`python -m hub.catalogue` from the installed distributions and held equal by a test, so that an
environment that is absent stays listed with the reason and the fix.
"""

from __future__ import annotations

import json
from pathlib import Path

from hub.registry import EnvCard

# Not importlib.resources: importing it costs a tenth of the time that `import hub` may take.
CARDS = Path(__file__).with_name("cards.json")


def catalogue_cards() -> list[EnvCard]:
    """Return the cards that ship with the core."""
    return [EnvCard.from_json(data) for data in json.loads(CARDS.read_text(encoding="utf-8"))]
