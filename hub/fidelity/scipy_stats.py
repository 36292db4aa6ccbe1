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
    try:
        return importlib.import_module("scipy.stats")
    except ImportError as error:
        raise MissingDependency(
            "the fidelity statistics need scipy: pip install 'gymhub[fidelity]'"
        ) from error
