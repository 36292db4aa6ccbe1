"""Certificates: written whole, read strictly, and stale as soon as anything they cover changes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.describe import fidelity
from hub.errors import CertificateError, DeclarationError, MissingDependency, StaleBuildError
from hub.fidelity import Run, Sources, patched, status, verify
from hub.fidelity.certificate import (
    Certificate,
    certificate_path,
    json_values,
    read_certificate,
    write_certificate,
)
from hub.registry import EnvCard, Registry, Requirement
from tests import need

need.module("scipy")

CARD = EnvCard(
    id="toystrip/Strip-v0",
    summary="A strip.",
    family="python",
    backend="python",
    entry_point="toystrip.engine:Strip",
    fidelity="toystrip.fidelity:DECLARATION",
)


def folder() -> Path:
    return certificate_path(CARD).parent.parent


def test_verify_writes_a_certificate_that_holds(strip: ModuleType) -> None:
    assert status(CARD).state == "none"
    found = verify(CARD, Run(level=3))
    assert found.passed
    assert found.written == folder() / "certificates" / "Strip-v0.json"
    assert read_certificate(found.written) == found.certificate
    standing = status(CARD)
    assert (standing.level, standing.state, standing.detail) == (3, "verified", "")
    assert standing.date == found.certificate.date


def test_a_certificate_says_what_was_compared(strip: ModuleType) -> None:
    data = json.loads(verify(CARD, Run(level=3)).written.read_text())  # type: ignore[union-attr]
    assert data["reference"]["versions"].keys() == {"numpy"}
    assert data["reference"]["factory"] == "toystrip.reference:StripReference"
    assert data["sources"]["files"] == ["engine.py", "fidelity.py"]
    check = data["levels"]["1"]["checks"][0]
    assert (check["name"], check["passed"], check["cases"]) == ("moves", True, 1000)
    assert (check["max_error"], check["tolerance"]) == (0.0, 0.0)
    rollouts = data["levels"]["3"]["rollouts"]
    assert rollouts["episodes"] >= 1000
    assert rollouts["seed"] == 0
    assert rollouts["sources"] == ["random", "sticky 0.9"]
    assert data["machine"].keys() == {"processor", "architecture", "cores", "system", "python"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("engine.py", "the engine's sources changed since"),
        ("fidelity.py", "the engine's sources changed since"),
        ("reference.py", "the reference's sources changed since"),
    ],
)
def test_any_changed_source_makes_it_stale(strip: ModuleType, name: str, reason: str) -> None:
    verify(CARD, Run(level=1))
    source = folder() / name
    source.write_text(source.read_text() + "\n# changed\n")
    assert (status(CARD).state, status(CARD).detail) == ("stale", reason)
    assert status(CARD).level == 1


def test_a_reference_built_from_older_sources_is_refused(strip: ModuleType) -> None:
    (folder() / "slow.c").write_text("int a;\n")
    (folder() / "built.py").write_text("HASH = 'of other sources'\n")
    older = Sources("toystrip", compiled=("slow.c",), embedded="toystrip.built:HASH")
    reference = replace(strip.DECLARATION.reference, sources=older)
    with (
        patched("toystrip.fidelity:DECLARATION", replace(strip.DECLARATION, reference=reference)),
        pytest.raises(StaleBuildError, match="install the package again"),
    ):
        verify(CARD, Run(level=1))


def test_another_version_of_the_reference_shows(strip: ModuleType) -> None:
    found = verify(CARD, Run(level=1))
    reference = {**found.certificate.reference, "versions": {"numpy": "1.0", "absent": "3"}}
    write_certificate(certificate_path(CARD), replace(found.certificate, reference=reference))
    standing = status(CARD)
    assert standing.state == "reference-changed"
    assert standing.detail.startswith("numpy 1.0 -> ")


def test_a_sample_certifies_nothing(strip: ModuleType) -> None:
    found = verify(CARD, Run(level=3, sample=0.05))
    assert found.passed
    assert found.written is None
    assert "a sample of 0.05" in found.reason
    assert status(CARD).state == "none"


def changed(source: str = "engine.py") -> None:
    path = folder() / source
    path.write_text(path.read_text() + "\n")


def aged(**changes: object) -> Certificate:
    """Put another day, and `changes`, into the certificate on file and all its levels."""
    found = read_certificate(certificate_path(CARD))
    levels = {n: {**level, "date": "2026-01-02"} for n, level in found.levels.items()}
    older = replace(found, date="2026-01-02", levels=levels, **changes)  # type: ignore[arg-type]
    write_certificate(certificate_path(CARD), older)
    return older


def test_a_failure_takes_back_what_the_certificate_claims_of_the_same_sources(
    strip: ModuleType,
) -> None:
    verify(CARD, Run(level=3))
    before = aged(mutants={"rows": [], "survivors": [], "shares": {}})
    with patched("toystrip.engine:GOAL", 2.0):
        found = verify(CARD, Run(level=3))
    assert not found.passed
    now = read_certificate(certificate_path(CARD))
    assert now == found.certificate
    assert (now.level, now.levels["1"]["state"], found.kept) == (0, "failed", ("2", "3"))
    assert (now.levels["3"], now.mutants) == (before.levels["3"], before.mutants)
    standing = status(CARD)
    assert (standing.level, standing.state) == (0, "failed")
    assert standing.detail.startswith(f"L1 failed on {now.date}: ")
    assert fidelity(CARD) == "fails L1"  # as `hub list` shows it
    # The evidence of the other levels counts again when the first passes.
    assert verify(CARD, Run(level=1)).certificate.level == 3
    assert status(CARD).state == "verified"


def test_a_failure_of_other_sources_leaves_the_certificate_as_it_was(strip: ModuleType) -> None:
    verify(CARD, Run(level=2))
    before = aged()
    changed()
    with patched("toystrip.engine:GOAL", 2.0):
        found = verify(CARD, Run(level=2), force=True)
    assert found.reason == "L1 failed: the certificate on file stays as it is"
    assert read_certificate(certificate_path(CARD)) == before


def test_levels_that_were_not_run_again_are_kept_with_their_dates(strip: ModuleType) -> None:
    verify(CARD, Run(level=3))
    before = aged(machine={"processor": "another"})
    found = verify(CARD, Run(level=1))
    assert (found.certificate.level, found.kept) == (3, ("2", "3"))
    assert found.certificate.levels["3"] == before.levels["3"]
    assert found.certificate.levels["1"]["date"] > "2026-01-02"
    # What is said of the certificate as a whole is of the level that it shows.
    assert (found.certificate.date, status(CARD).date) == ("2026-01-02", "2026-01-02")
    assert found.certificate.machine == {"processor": "another"}
    again = verify(CARD, Run(level=3)).certificate
    assert again.date == again.levels["3"]["date"] > "2026-01-02"
    assert again.machine != {"processor": "another"}


@pytest.mark.parametrize("source", ["engine.py", "reference.py"])
def test_less_than_is_on_file_of_other_sources_is_not_written_over_it(
    strip: ModuleType, source: str
) -> None:
    verify(CARD, Run(level=3))
    before, told = aged(), list[str]()
    changed(source)
    found = verify(CARD, Run(level=2), tell=told.append)
    assert found.passed
    assert (found.written, found.certificate.level) == (None, 2)
    assert "holds L3, of other sources than these; it stays as it is" in found.reason
    assert "`--level 3`, or --force" in found.reason
    assert told == [found.reason]  # before the run, which may be long
    assert read_certificate(certificate_path(CARD)) == before
    assert status(CARD).state == "stale"
    forced = verify(CARD, Run(level=2), force=True, tell=told.append)
    assert read_certificate(certificate_path(CARD)) == forced.certificate
    assert (forced.certificate.level, len(told)) == (2, 1)


def test_the_same_level_of_other_sources_replaces_all_but_a_table_of_mutants(
    strip: ModuleType,
) -> None:
    verify(CARD, Run(level=2))
    aged()
    changed()
    assert verify(CARD, Run(level=2)).kept == ()
    assert status(CARD).state == "verified"
    aged(mutants={"rows": [], "survivors": [], "shares": {}})
    changed()
    found = verify(CARD, Run(level=2))
    assert found.written is None
    assert "holds the mutants' table, of other sources" in found.reason
    assert "`--level 2 --mutants`" in found.reason
    assert verify(CARD, Run(level=2), mutants=True).written


@pytest.mark.parametrize("stale", [False, True])
def test_a_fourth_level_that_cannot_be_run_takes_nothing_away(
    strip: ModuleType, tmp_path: Path, stale: bool
) -> None:
    found = verify(CARD, Run(level=3)).certificate
    fourth = {"level": 4, "state": "passed", "detail": "", "date": found.date}
    before = aged(level=4)
    before = replace(before, levels={**before.levels, "4": fourth})
    write_certificate(certificate_path(CARD), before)
    if stale:
        changed()
    ran = verify(CARD, Run(work=tmp_path))  # no trainer is registered here
    assert ran.passed
    now = read_certificate(certificate_path(CARD))
    assert (now.level, now.levels["4"]) == (4, fourth)
    assert (now == before) is stale


def test_an_absent_package_is_not_checked_and_the_fix_is_named(
    strip: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = verify(CARD, Run(level=1)).certificate
    sources = {**certificate.reference["sources"], "package": "no_such_part"}
    reference = {**certificate.reference, "sources": sources}
    write_certificate(certificate_path(CARD), replace(certificate, reference=reference))
    gone = EnvCard(
        id="toystrip/Gone-v0",
        summary="Gone.",
        family="native",
        backend="c",
        entry_point="no_such_part.env:Env",
        requires=(Requirement("distribution", "no-such-dist", "pip install ./native/gone"),),
    )
    registry = Registry()
    registry.add(gone, "toystrip")
    monkeypatch.setattr("hub.plugins.PLUGINS.registry", registry)
    standing = status(CARD)
    assert (standing.level, standing.state) == (1, "not-checked")
    words = "package no_such_part is not installed. Fix: pip install ./native/gone"
    assert standing.detail == words
    assert fidelity(CARD) == "L1 not checked"
    absent = replace(strip.DECLARATION.reference.sources, package="no_such_part")
    lacking = replace(strip.DECLARATION.reference, sources=absent)
    with (
        patched("toystrip.fidelity:DECLARATION", replace(strip.DECLARATION, reference=lacking)),
        pytest.raises(MissingDependency, match=words),
    ):
        verify(CARD, Run(level=1))


def test_without_a_trainer_three_levels_pass_and_the_fourth_says_what_it_needs(
    strip: ModuleType, tmp_path: Path
) -> None:
    found = verify(CARD, Run(work=tmp_path))
    assert found.passed
    assert found.certificate.level == 3
    assert found.certificate.levels["4"]["state"] == "skipped"
    assert "pip install torch" in found.certificate.levels["4"]["detail"]


def test_without_scipy_the_third_level_is_skipped_and_nothing_passes(
    strip: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    found = verify(CARD, Run(level=3))
    assert not found.passed
    assert found.reason == "L3 skipped: no certificate is written"
    assert "pip install scipy" in found.certificate.levels["3"]["detail"]


def test_a_declaration_of_another_package_is_refused(strip: ModuleType) -> None:
    with pytest.raises(DeclarationError, match="lives in the package of its engine"):
        verify(replace(CARD, fidelity="tests.hub.fidelity.elsewhere:DECLARATION"), Run())
    with pytest.raises(DeclarationError, match="expected a Declaration"):
        verify(replace(CARD, fidelity="toystrip.fidelity:MUTANTS"), Run())


def certificate() -> Certificate:
    return Certificate(
        id="hub:a/B-v0",
        hub="0",
        level=0,
        date="2026-01-01",
        declaration="a.b:C",
        sources={},
        engine_hash="",
        reference={},
        machine={},
        levels={},
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "hub.certificate/2"}, "this hub reads 'hub.certificate/1'"),
        ({"level": 5}, "expected 0 to 4"),
        ({"level": True}, "field 'level' is True"),
        ({"extra": 1}, "missing or unknown: extra"),
    ],
)
def test_bad_fields_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        Certificate.from_json({**certificate().to_json(), **change})


def test_an_unreadable_certificate_is_stale_with_its_reason(strip: ModuleType) -> None:
    path = certificate_path(CARD)
    path.parent.mkdir()
    path.write_text("{")
    assert status(CARD).state == "stale"
    assert "Strip-v0.json" in status(CARD).detail


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_every_value_becomes_strict_json(value: object) -> None:
    text = json.dumps(json_values(value), allow_nan=False)
    assert json.loads(text) == json_values(value)
