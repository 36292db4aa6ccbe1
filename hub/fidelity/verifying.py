"""`hub verify`: runs the ladder for one environment and makes its certificate."""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium

import hub
from hub.errors import CertificateError, DeclarationError, MissingDependency
from hub.fidelity.certificate import (
    Certificate,
    certificate_path,
    json_values,
    read_certificate,
    write_certificate,
)
from hub.fidelity.declaration import Declaration, Sources
from hub.fidelity.ladder import LevelReport, Run, level_reached, run_ladder
from hub.fidelity.machine import machine
from hub.fidelity.mutants import run_mutants
from hub.fidelity.sources import check_build, engine_hash, package_folder
from hub.fidelity.standing import installed, standing
from hub.fidelity.trainers import find_trainer
from hub.fidelity.transfer import OwnPolicyReport, run_own_policy
from hub.plugins import load
from hub.registry import EnvCard

CURVE_POINTS = 50


@dataclass(frozen=True)
class Verification:
    """Outcome of one `verify`.

    Attributes:
        certificate: What was found. In one that is written, levels that were not run are taken
            from the certificate on disk while that one holds, with their dates.
        passed: L1 to L3, as far as asked for, and every mutant passed, and L4 did not fail.
        written: Where the certificate was written, or None.
        reason: Why it was not written, or empty.
    """

    certificate: Certificate
    passed: bool
    written: Path | None
    reason: str


def declaration_of(card: EnvCard) -> Declaration:
    """Import the declaration that `card` names.

    Raises:
        DeclarationError: The card names none, it is no `Declaration`, or its engine lives in
            another package than its module.
    """
    if not card.fidelity:
        raise DeclarationError(f"{card.id} declares no fidelity: it is no translation")
    declaration = load(card.fidelity)
    if not isinstance(declaration, Declaration):
        raise DeclarationError(f"{card.fidelity} is {declaration!r}; expected a Declaration")
    package = card.fidelity.partition(".")[0].partition(":")[0]
    if declaration.sources.package != package:
        raise DeclarationError(
            f"{card.fidelity} declares sources of {declaration.sources.package!r}; a declaration "
            "lives in the package of its engine, so that its certificate does"
        )
    return declaration


def verify(card: EnvCard, run: Run, *, mutants: bool = False) -> Verification:
    """Run the ladder, and the mutants when asked, and write the certificate.

    It is written when the run had full size and L1 to L3 passed as far as they were asked for
    (L4 may fail: the certificate then says so).

    Raises:
        StaleBuildError: The engine's binary is older than its sources.
        DeclarationError: See `declaration_of`.
        MissingDependency: A part of the reference is absent.
        CertificateError: The certificate cannot be written.
    """
    declaration = declaration_of(card)
    check_build(declaration.sources)
    if declaration.reference.sources:
        check_build(declaration.reference.sources)
    _require_reference(card, declaration)
    # Hashed before the run: it speaks of the files that were loaded, not of later edits.
    blank = _blank(card, declaration)
    reports = run_ladder(declaration, run)
    levels = {str(report.level): {**_level(report), "date": blank.date} for report in reports}
    certificate = replace(blank, level=level_reached(reports), levels=levels)
    # L4 may be skipped for want of a trainer; a lower level that was skipped shows nothing.
    passed = all(r.state == "passed" or (r.level, r.state) == (4, "skipped") for r in reports)
    path = certificate_path(card)
    reason = _reason_not_to_write(reports, run)
    if not reason:
        certificate = _with_earlier_levels(certificate, path)
        # Before the mutants, whose many builds may end in an error: what was shown is kept.
        write_certificate(path, certificate)
    if mutants:
        found = run_mutants(declaration, run, reports)
        certificate = replace(certificate, mutants=json_values(found))
        passed = passed and found.passed
        if not reason:
            write_certificate(path, certificate)
    return Verification(certificate, passed, None if reason else path, reason)


def _require_reference(card: EnvCard, declaration: Declaration) -> None:
    """Make the reference once: without a part of it nothing is proved, and nothing disproved."""
    try:
        declaration.reference.make().close()
    except (ImportError, gymnasium.error.DependencyNotInstalled) as error:
        name = getattr(error, "name", None)
        fix = f"pip install {name}" if name else "pip install '.[fidelity]'"
        raise MissingDependency(
            f"{card.id} is compared with {declaration.reference.summary}; that cannot be made "
            f"here: {error}. Fix: {fix}"
        ) from error


def verify_policy(card: EnvCard, policy: Path) -> OwnPolicyReport:
    """Evaluate a policy file of one's own on both sides (L4 for this policy alone).

    Raises:
        DeclarationError: The declaration has no transfer plan.
        MissingDependency: The plan's trainer is not there to load it.
    """
    declaration = declaration_of(card)
    if declaration.transfer is None:
        raise DeclarationError(f"{card.fidelity} has no transfer plan")
    trainer = find_trainer(declaration.transfer.trainer)
    return run_own_policy(declaration, declaration.transfer, trainer, policy)


def hashed_sources(card: EnvCard, declaration: Declaration) -> Sources:
    """The engine's sources and the file of the declaration itself."""
    module = importlib.import_module(card.fidelity.partition(":")[0])
    folder = package_folder(declaration.sources.package)
    if module.__file__ is None:
        raise DeclarationError(f"{card.fidelity} has no source file")
    name = Path(module.__file__).relative_to(folder).as_posix()
    files = dict.fromkeys((*declaration.sources.files, name))
    return replace(declaration.sources, files=tuple(files))


def _blank(card: EnvCard, declaration: Declaration) -> Certificate:
    """A certificate of today's sources and versions that shows nothing yet."""
    sources = hashed_sources(card, declaration)
    reference = declaration.reference
    return Certificate(
        id=card.id,
        hub=hub.__version__,
        level=0,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        declaration=card.fidelity,
        sources=json_values(sources),
        engine_hash=engine_hash(sources),
        reference={
            "factory": f"{reference.make.__module__}:{reference.make.__qualname__}",
            "summary": reference.summary,
            "versions": installed(reference.distributions),
            "sources": json_values(reference.sources),
            "hash": engine_hash(reference.sources) if reference.sources else "",
        },
        machine=machine(),
        levels={},
    )


def _level(report: LevelReport) -> dict[str, Any]:
    """One level as JSON values, without the parts that it does not have."""
    data = {k: v for k, v in json_values(report).items() if v not in (None, [])}
    for arm in data.get("transfer", {}).get("arms", ()):
        for row in arm["policies"]:
            step = max(1, len(row["curve"]) // CURVE_POINTS)
            row["curve"] = row["curve"][::step]
    return data


def _with_earlier_levels(certificate: Certificate, path: Path) -> Certificate:
    """Keep what an earlier run showed of the same engine and was not run now."""
    try:
        earlier = read_certificate(path)
    except CertificateError:
        return certificate
    same = (earlier.engine_hash, earlier.reference) == (
        certificate.engine_hash,
        certificate.reference,
    )
    if not same or standing(earlier).state != "verified":
        return certificate
    ran: Mapping[str, Any] = certificate.levels
    if any(level["state"] == "failed" for level in ran.values()):
        return certificate
    levels = {**earlier.levels, **{k: v for k, v in ran.items() if v["state"] != "skipped"}}
    levels = {**{k: v for k, v in ran.items() if k not in levels}, **levels}
    level = max((int(k) for k, v in levels.items() if v["state"] == "passed"), default=0)
    mutants = certificate.mutants or earlier.mutants
    return replace(certificate, levels=dict(sorted(levels.items())), level=level, mutants=mutants)


def _reason_not_to_write(reports: tuple[LevelReport, ...], run: Run) -> str:
    if run.sample < 1:
        return f"a sample of {run.sample:g} of the declared sizes certifies nothing"
    unmet = [report for report in reports if report.level <= 3 and report.state != "passed"]
    if unmet:
        return f"L{unmet[0].level} {unmet[0].state}: the certificate on disk stays as it is"
    return ""
