"""A real sandbox for whatever needs one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import need
from tests.hub.sandbox.conftest import require

# Imports a module, to be given as its argument.
LOOK = "python3 -c 'import importlib, sys; importlib.import_module(sys.argv[1])' {}"


@pytest.fixture(params=["apptainer", "bubblewrap"])
def provider(request: pytest.FixtureRequest) -> str:
    return require(request.param)


@pytest.fixture(scope="session")
def sandboxed() -> dict[str, str]:
    """Options that choose bubblewrap, the provider that starts fastest."""
    return {"provider": require("bubblewrap")}


@pytest.fixture(scope="session")
def installed() -> str:
    """A module that a host's own Python has beside its standard library."""
    folder = Path("/usr/lib/python3/dist-packages")
    names = ("yaml", "six", "pkg_resources", "pip")
    found = [name for name in names if any(folder.glob(f"{name}*"))]
    if not found:
        need.missing(f"{folder} has none of {', '.join(names)}")
    return found[0]


def finish(answer: str) -> str:
    """Write the call that hands in `answer`."""
    import json

    call = {"name": "finish", "arguments": {"answer": answer}}
    return f"<tool_call>{json.dumps(call)}</tool_call>"
