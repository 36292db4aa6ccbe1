from collections.abc import Iterator

import pytest

from hub.sandbox import Sandbox, create
from hub.sandbox.providers import providers
from tests import need

CONTAINERS = ("apptainer", "bubblewrap")


def require(name: str) -> str:
    reason = providers()[name].missing()
    if reason is not None:
        need.missing(f"sandbox provider {name}: {reason}")
    need.module("hub_sandbox_init")
    return name


@pytest.fixture(params=CONTAINERS)
def provider(request: pytest.FixtureRequest) -> str:
    return require(request.param)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with create(provider=require("bubblewrap")) as made:
        yield made
