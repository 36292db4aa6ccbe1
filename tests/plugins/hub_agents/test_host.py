"""What of the host a sandbox must not show."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub.sandbox import Sandbox, create
from hub_agents.host import hidden
from tests.plugins.hub_agents.conftest import LOOK


@pytest.fixture
def host(provider: str) -> Iterator[Sandbox]:
    with create(provider=provider, mounts=hidden("host")) as sandbox:
        yield sandbox


def test_a_package_of_the_host_is_neither_imported_nor_copied(
    host: Sandbox, installed: str
) -> None:
    done = host.exec(LOOK.format(installed))
    assert done.exit_code == 1
    assert "ModuleNotFoundError" in done.stderr
    found = host.exec("find /usr \\( -name dist-packages -o -name site-packages \\) | xargs ls -A")
    assert "/usr/lib/python3/dist-packages:" in found.stdout
    assert all(line.endswith(":") for line in found.stdout.split("\n") if line)
    assert host.exec("touch /usr/lib/python3/dist-packages/x").exit_code != 0
    assert host.exec("git --version && python3 -c 'import json, ssl'").exit_code == 0


def test_it_is_there_where_nothing_hides_it(provider: str, installed: str) -> None:
    with create(provider=provider) as sandbox:
        assert sandbox.exec(LOOK.format(installed)).exit_code == 0


def test_a_built_image_keeps_its_packages() -> None:
    assert hidden("debian") == ()
