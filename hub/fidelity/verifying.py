"""`hub verify`: runs the ladder for one environment and makes its certificate."""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium

import hub
from hub.errors import DeclarationError, MissingDependency, TargetError
from hub.fidelity.certificate import (
    Certificate,
    certificate_path,
    json_values,
    write_certificate,
)
from hub.fidelity.declaration import Declaration, Sources
from hub.fidelity.filing import combined, on_file, same_sources, shortfall
from hub.fidelity.ladder import LevelReport, Run, level_reached, run_ladder
from hub.fidelity.machine import machine
from hub.fidelity.mutants import run_mutants
from hub.fidelity.sources import absent, check_build, engine_hash, package_folder
from hub.fidelity.standing import installed
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
            from the certificate on file when that is of the same sources, with their dates.
        passed: L1 to L3, as far as asked for, and every mutant passed, and L4 did not fail.
        written: Where the certificate was written, or None.
        reason: Why it was not written, or empty.
        kept: Levels of the certificate that an earlier run showed, `"1"` to `"4"`.
    """

    certificate: Certificate
    passed: bool
    written: Path | None
    reason: str
    kept: tuple[str, ...] = ()


def declaration_of(card: EnvCard) -> Declaration:
    """Import the declaration that `card` names.

    Raises:
        DeclarationError: The card names none, it is no `Declaration`, or its engine lives in
            another package than its module.
        MissingDependency: A package that it imports, such as the reference's, is not installed.
    """
    if not card.fidelity:
        raise DeclarationError(f"{card.id} declares no fidelity: it is no translation")
    try:
        declaration = load(card.fidelity)
    except TargetError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name and "." not in cause.name:
            raise absent(cause.name) from error
        raise
    if not isinstance(declaration, Declaration):
        raise DeclarationError(f"{card.fidelity} is {declaration!r}; expected a Declaration")
    package = card.fidelity.partition(".")[0].partition(":")[0]
    if declaration.sources.package != package:
        raise DeclarationError(
            f"{card.fidelity} declares sources of {declaration.sources.package!r}; a declaration "
            "lives in the package of its engine, so that its certificate does"
        )
    return declaration


def verify(
    card: EnvCard,
    run: Run,
    *,
    mutants: bool = False,
    force: bool = False,
    tell: Callable[[str], None] = lambda message: None,
) -> Verification:
    """Run the ladder, and the mutants when asked, and file what was found.

    Only a run of full size writes. `hub.fidelity.filing` says what it may write over; a failure of
    L1 to L3 is written where the certificate on file claims the level for these very sources.

    Args:
        card: The environment's.
        run: How far and how large.
        mutants: Also run the mutants.
        force: Write over more than was reached now, when that is of other sources.
        tell: Called before the run when it is known that it will write nothing.

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
    path = certificate_path(card)
    file = _File(path, on_file(path), mutants, force)
    if run.sample == 1 and (reason := file.refusal(blank, run.level)):
        tell(reason)
    reports = run_ladder(declaration, run)
    levels = {str(report.level): {**_level(report), "date": blank.date} for report in reports}
    certificate = replace(blank, level=level_reached(reports), levels=levels)
    # L4 may be skipped for want of a trainer; a lower level that was skipped shows nothing.
    passed = all(r.state == "passed" or (r.level, r.state) == (4, "skipped") for r in reports)
    reason = file.reason_not_to_write(certificate, reports, run)
    if not reason:
        # Before the mutants, whose many builds may end in an error: what was shown is kept.
        certificate = file.write(certificate)
    if mutants:
        found = run_mutants(declaration, run, reports)
        certificate = replace(certificate, mutants={**json_values(found), "date": blank.date})
        passed = passed and found.passed
        if not reason:
            write_certificate(path, certificate)
    kept = tuple(n for n, level in certificate.levels.items() if level != levels.get(n))
    return Verification(certificate, passed, None if reason else path, reason, kept)


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
        ValueError: The file is not a policy of that trainer.
    """
    declaration = declaration_of(card)
    if declaration.transfer is None:
        raise DeclarationError(f"{card.fidelity} has no transfer plan")
    trainer = find_trainer(declaration.transfer.trainer)
    trainer.load_policy(policy)  # looked at before two environments are made for it
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


@dataclass(frozen=True)
class _File:
    """Where the certificate goes, and what lies there."""

    path: Path
    earlier: Certificate | None
    mutants: bool
    force: bool

    def refusal(self, found: Certificate, level: int) -> str:
        """Why `level` may not be written over what is on file; empty if it may."""
        if self.earlier is None or self.force or same_sources(found, self.earlier):
            return ""
        return shortfall(self.earlier, level, self.mutants)

    def reason_not_to_write(
        self, found: Certificate, reports: tuple[LevelReport, ...], run: Run
    ) -> str:
        unmet = [report for report in reports if report.level <= 3 and report.state != "passed"]
        bad = f"L{unmet[0].level} {unmet[0].state}: " if unmet else ""
        if run.sample < 1:
            return f"{bad}a sample of {run.sample:g} of the declared sizes certifies nothing"
        if not unmet:
            return self.refusal(found, found.level)
        if self.earlier is None:
            return f"{bad}no certificate is written"
        claimed = same_sources(found, self.earlier) and unmet[0].state == "failed"
        return "" if claimed else f"{bad}the certificate on file stays as it is"

    def write(self, found: Certificate) -> Certificate:
        """Write what was found, with what stays; return it."""
        if self.earlier is not None and same_sources(found, self.earlier):
            found = combined(found, self.earlier)
        write_certificate(self.path, found)
        return found
