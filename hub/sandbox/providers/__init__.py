"""The providers that come with the hub, and those of plugins: names, choice, helper."""

from hub.sandbox.providers.catalogue import choose, helper, provider, providers

__all__ = ["choose", "helper", "provider", "providers"]
