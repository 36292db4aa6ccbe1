"""Cards of first-party environments whose distribution is not installed."""

from hub.catalogue.cards import catalogue_cards

__all__ = ["catalogue_cards"]
