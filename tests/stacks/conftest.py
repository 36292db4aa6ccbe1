"""What every test with an unmodified training stack needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import need

# The stacks warn of their own doings; what they get from the hub is asserted, not warned of.
QUIET = ("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/stacks/" in item.path.as_posix():
            for quiet in QUIET:
                item.add_marker(pytest.mark.filterwarnings(quiet))


@pytest.fixture(autouse=True)
def pong() -> str:
    """C Pong's id."""
    need.module("hub_pong")
    return "hub:native/Pong-v0"


@pytest.fixture
def torch_seeded() -> Iterator[None]:
    """Torch on one thread with a seed, put back afterwards."""
    torch = need.module("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)
