import os

import pytest

import hub.sandbox.doctor as doctor
from hub.errors import MissingDependency
from hub.sandbox.providers.bubblewrap import Bubblewrap


def test_each_provider_is_shown_with_its_limits_or_the_fix(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HUB_UNSAFE_LOCAL", raising=False)
    found = {finding.name: finding for finding in doctor.findings()}
    user = found[f"{provider}, as a plain user"]
    assert user.status == "ok"
    assert "memory: RLIMIT_AS (address space of each process" in user.message
    assert "cpus: not limited" in user.message
    root = found[f"{provider}, as root, commands as an unprivileged user"]
    assert (root.status == "ok") == (os.geteuid() == 0)
    local = found["local, as a plain user"]
    assert (local.status, local.fix) == ("missing", "to allow that, HUB_UNSAFE_LOCAL=1")


def test_a_missing_provider_comes_with_its_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bubblewrap, "missing", lambda self: "no bwrap. Fix: buy one")
    found = {finding.name: finding for finding in doctor.findings()}
    finding = found["bubblewrap, as a plain user"]
    assert (finding.status, finding.message, finding.fix) == ("missing", "no bwrap.", "buy one")


def test_without_the_helper_only_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise MissingDependency("sandboxes need it. Fix: pip install ./native/sandbox-init")

    monkeypatch.setattr(doctor, "helper", absent)
    (finding,) = doctor.findings()
    assert (finding.status, finding.fix) == ("missing", "pip install ./native/sandbox-init")
