import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hub.sandbox import conformance
from hub.sandbox.conformance import Broken, CannotLimit, Check, Make
from tests.hub.sandbox.conftest import require
from tests.plugin_site import PluginSite

PLAIN_USER = 65534


@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.name)
def test_provider_passes_as_this_user(provider: str, check: Check) -> None:
    outcome = conformance.run_check(check, provider)
    if outcome.status == "skipped":
        pytest.skip(f"capability: {outcome.reason}")
    assert outcome.status == "passed", outcome.reason


@pytest.fixture(scope="module")
def plain_outcomes() -> dict[str, dict[str, Any]]:
    """Outcomes of a provider's suite run by a plain user, filled on first use."""
    return {}


def _as_plain_user(provider: str, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if provider not in known:
        script = Path(__file__).with_name("unprivileged.py")
        run = subprocess.run(
            [sys.executable, str(script), provider, str(PLAIN_USER)],
            capture_output=True,
            text=True,
            timeout=280,
        )
        assert run.returncode == 0, run.stderr
        known[provider] = {outcome["name"]: outcome for outcome in json.loads(run.stdout)}
    return known[provider]


@pytest.mark.skipif(os.geteuid() != 0, reason="this run is a plain user's already")
@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.name)
def test_provider_passes_as_a_plain_user(
    provider: str, check: Check, plain_outcomes: dict[str, dict[str, Any]]
) -> None:
    outcome = _as_plain_user(provider, plain_outcomes)[check.name]
    if outcome["status"] == "skipped":
        pytest.skip(f"capability: {outcome['reason']}")
    assert outcome["status"] == "passed", outcome["reason"]


def _broken(make: Make) -> None:
    raise Broken("seen")


def _unable(make: Make) -> None:
    raise CannotLimit("no means")


def _crashing(make: Make) -> None:
    raise KeyError("x")


@pytest.mark.parametrize(
    ("run", "status", "reason"),
    [(_broken, "failed", "seen"), (_unable, "skipped", "no means"), (_crashing, "failed", "'x'")],
)
def test_an_outcome_is_told_apart(run: Any, status: str, reason: str) -> None:
    outcome = conformance.run_check(Check("name", "", run), "bubblewrap")
    assert outcome.status == status
    assert reason in outcome.reason


def test_the_unsafe_local_provider_fails_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUB_UNSAFE_LOCAL", "1")
    wanted = {
        "it_has_namespaces_of_its_own_and_an_ordinary_user",
        "the_network_is_out_of_reach",
        "no_secret_of_the_host_is_inside",
    }
    checks = [check for check in conformance.CHECKS if check.name in wanted]
    outcomes = conformance.run_suite(checks, "local")
    assert [outcome.status for outcome in outcomes] == ["failed"] * 3


PLUGIN = """
import hub
from hub.sandbox.providers.bubblewrap import Bubblewrap

class Mine(Bubblewrap):
    name = "mine"

@hub.hookimpl
def hub_register_sandboxes(register):
    register("mine", "acme_hooks:Mine", "Bubblewrap under another name.")
"""


ONLY_NETWORK = """
import sys
from hub.sandbox import conformance
from hub.sandbox.conformance.__main__ import main
conformance.CHECKS = tuple(c for c in conformance.CHECKS if "network" in c.name)
main()
"""


def _suite_of_a_plugin(site: PluginSite, *how: str) -> tuple[int, dict[str, Any]]:
    """Run `python HOW mine --json -` where a plugin registers the provider `mine`."""
    require("bubblewrap")
    site.plugin("acme", PLUGIN)
    path = os.pathsep.join([str(site.path), *sys.path])
    run = subprocess.run(
        [sys.executable, *how, "mine", "--json", "-"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert run.stdout, run.stderr
    data: dict[str, Any] = json.loads(run.stdout)
    return run.returncode, data


def test_the_command_runs_a_plugins_provider(site: PluginSite) -> None:
    status, data = _suite_of_a_plugin(site, "-c", ONLY_NETWORK)
    assert status == 0, data
    assert (data["schema"], data["provider"]) == ("hub.sandbox.conformance/1", "mine")
    assert data["checks"]
    assert all(row["status"] == "passed" for row in data["checks"])
    assert all(
        row.keys() == {"name", "attack", "status", "reason", "seconds"} for row in data["checks"]
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_plugins_provider_passes_the_whole_suite(site: PluginSite) -> None:
    status, data = _suite_of_a_plugin(site, "-m", "hub.sandbox.conformance")
    assert status == 0, [row for row in data["checks"] if row["status"] == "failed"]
    assert len(data["checks"]) == len(conformance.CHECKS)


def test_every_attack_on_sandboxes_has_a_check() -> None:
    attacks = {check.attack for check in conformance.CHECKS}
    # S13 needs a server to kill: test_state.py.
    assert {f"S{n}" for n in (5, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 20, 21, 22)} <= attacks
