"""The providers that come with the hub, and those of plugins, by name."""

from hub.sandbox.providers.catalogue import helper, provider, providers

__all__ = ["helper", "provider", "providers"]
