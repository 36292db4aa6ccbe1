import json
import os
import shutil

import pytest

from hub.errors import SandboxUnavailable
from hub.sandbox import capabilities, create, probe
from hub.sandbox.providers.apptainer import Apptainer
from hub.sandbox.providers.bubblewrap import Bubblewrap
from hub.sandbox.providers.local import Local
from hub.sandbox.types import NOT_LIMITED


def test_each_provider_says_what_it_limits_here_and_what_it_does_not(provider: str) -> None:
    report = capabilities()
    json.dumps(report)
    (row,) = [row for row in report["providers"] if row["name"] == provider]
    user = row["modes"]["user"]
    assert user["available"], user["reason"]
    assert user["limits"]["cpus"]["means"] == NOT_LIMITED
    assert user["limits"]["memory"]["means"] == "RLIMIT_AS"
    root = row["modes"]["root"]
    if os.geteuid() == 0 and report["cgroups"]:
        assert "cgroup" in root["limits"]["memory"]["means"]
    elif os.geteuid() != 0:
        assert "not root" in root["reason"]


def test_a_missing_program_is_named_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "install_apptainer.sh" in str(Apptainer().missing())
    assert "package bubblewrap" in str(Bubblewrap().missing())
    with pytest.raises(SandboxUnavailable, match=r"apptainer: .* \| bubblewrap: .* Fix"):
        create()


def test_a_provider_that_cannot_start_a_container_is_not_available(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Bubblewrap, "command", lambda self, start: ["/bin/false"])
    found = probe.run(Bubblewrap())
    assert not found["available"]
    assert "ended with status 1" in found["reason"]


def test_a_container_without_a_pid_namespace_is_not_available(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Bubblewrap, "command", lambda self, start: [str(start.init), "init"])
    assert "not PID 1" in probe.run(Bubblewrap())["reason"]


def test_a_container_that_shares_the_network_is_not_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    command = Bubblewrap.command
    monkeypatch.setattr(
        Bubblewrap,
        "command",
        lambda self, start: [word for word in command(self, start) if word != "--unshare-net"],
    )
    found = probe.run(Bubblewrap())
    devices = [name for name in os.listdir("/sys/class/net") if name != "lo"]  # noqa: PTH208
    if not devices:
        pytest.skip("capability: this machine has no network device to see")
    assert "not tight" in found["reason"]


def test_the_choice_is_remembered_and_never_local(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_UNSAFE_LOCAL", "1")
    chosen = probe.choose()
    monkeypatch.setattr(probe, "run", lambda candidate: pytest.fail("probed again"))
    assert probe.choose().name == chosen.name != Local.name
