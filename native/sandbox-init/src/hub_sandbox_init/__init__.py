"""The static helper of `hub.sandbox`: where it is."""

from pathlib import Path


def path() -> Path:
    """Return the path of the executable `hub-sandbox-init`."""
    return Path(__file__).with_name("hub-sandbox-init")
