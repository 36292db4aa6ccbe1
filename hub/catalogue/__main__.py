"""`python -m hub.catalogue [--check]`: write the catalogue from the installed distributions."""

from __future__ import annotations

import json

import click

from hub.catalogue.cards import CARDS, catalogue_cards
from hub.plugins import FIRST_PARTY, PLUGINS
from hub.registry import EnvCard


def installed_cards() -> list[EnvCard]:
    """Return the cards that first-party distributions other than the core registered here."""
    others = FIRST_PARTY - {"gymhub"}
    ids = [i for r in PLUGINS.records if r.distribution in others for i in r.envs]
    return [PLUGINS.registry.card(env_id) for env_id in sorted(ids)]


def text() -> str:
    """Return the catalogue: installed cards, and what it holds of absent distributions."""
    cards = {card.id: card for card in catalogue_cards() if card.missing()}
    cards.update((card.id, card) for card in installed_cards())
    return json.dumps([cards[i].to_json() for i in sorted(cards)], indent=1) + "\n"


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; status 1 when it is out of date.")
@click.pass_context
def main(ctx: click.Context, check: bool) -> None:
    """Write the catalogue of cards from the first-party distributions that are installed."""
    if not check:
        CARDS.write_text(text(), encoding="utf-8")
    elif CARDS.read_text(encoding="utf-8") != text():
        click.echo(f"{CARDS} is out of date: run python -m hub.catalogue", err=True)
        ctx.exit(1)


if __name__ == "__main__":
    main()
