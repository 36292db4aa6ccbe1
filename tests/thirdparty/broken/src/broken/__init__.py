"""Plugins that are broken on purpose, each in its own way."""
