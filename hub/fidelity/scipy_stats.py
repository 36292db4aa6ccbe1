"""scipy, an extra of the hub, imported on use."""

from __future__ import annotations

import importlib
from typing import Any

from hub.errors import MissingDependency


def stats() -> Any:
    """Return `scipy.stats`.

    Raises:
        MissingDependency: scipy is not installed.
    """
    return _module("scipy.stats")


def special() -> Any:
    """Return `scipy.special`, whose plain functions are much faster than distributions.

    Raises:
        MissingDependency: scipy is not installed.
    """
    return _module("scipy.special")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependency("the fidelity statistics need scipy: pip install scipy") from error
