"""Does a certificate still hold? Answered from JSON and hashes alone, for `hub list`."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hub import plugins
from hub.errors import CertificateError, DeclarationError, MissingDependency
from hub.fidelity.certificate import Certificate, certificate_path, read_certificate
from hub.fidelity.declaration import Sources
from hub.fidelity.sources import edited_tree, engine_hash
from hub.registry import EnvCard

State: TypeAlias = Literal[
    "verified", "stale", "reference-changed", "failed", "not-checked", "none"
]


@dataclass(frozen=True)
class Status:
    """Standing of an environment's certificate.

    Attributes:
        level: Level that the certificate shows, 0 without one.
        state: `"verified"`; `"stale"` when the engine's sources, its declaration or the
            reference's own sources changed; `"reference-changed"` when the reference is
            installed in another version; `"failed"` when the last run of L1, L2 or L3 on these
            sources failed; `"not-checked"` when a package whose sources it covers is not
            installed; `"none"` without a certificate.
        date: Day on which the level was shown, or empty.
        detail: Why, in one line; empty when verified.
    """

    level: int
    state: State
    date: str = ""
    detail: str = ""


def status(card: EnvCard) -> Status:
    """Compare the certificate of `card` with what is installed; imports no environment."""
    if not card.fidelity:
        return Status(0, "none", detail="it declares no reference")
    try:
        path = certificate_path(card)
    except MissingDependency as error:
        absent = f"it {card.reason()}. Fix: {card.fix()}" if card.missing() else str(error)
        return Status(0, "not-checked", detail=absent)
    except DeclarationError as error:
        return Status(0, "none", detail=str(error))
    if not path.is_file():
        return Status(0, "none", detail=f"no certificate yet: run `hub verify {card.id}`")
    try:
        certificate = read_certificate(path)
    except CertificateError as error:
        return Status(0, "stale", detail=str(error))
    return standing(certificate)


def standing(certificate: Certificate) -> Status:
    """Compare a certificate with what is installed."""
    level, date = certificate.level, certificate.reached_on
    try:
        now = engine_hash(sources_of(certificate.sources))
        sources = certificate.reference["sources"]
        reference = engine_hash(sources_of(sources)) if sources else ""
    except MissingDependency as error:
        return Status(level, "not-checked", date, str(error))
    except (DeclarationError, KeyError, TypeError) as error:
        return Status(level, "stale", date, f"the engine's sources cannot be hashed: {error}")
    if now != certificate.engine_hash:
        return Status(level, "stale", date, "the engine's sources changed since")
    if reference != certificate.reference["hash"]:
        return Status(level, "stale", date, "the reference's sources changed since")
    then = certificate.reference["versions"]
    changes = [
        f"{name} {then[name]} -> {version}"
        for name, version in installed(then).items()
        if version != then[name]
    ]
    if changes:
        return Status(level, "reference-changed", date, ", ".join(changes))
    failures = [
        (number, f"L{number} failed on {found.get('date')}: {found.get('detail')}")
        for number, found in certificate.levels.items()
        if found.get("state") == "failed"
    ]
    # A failed L4 takes nothing from the levels below it, on which it rests.
    state: State = "failed" if any(number != "4" for number, _ in failures) else "verified"
    return Status(level, state, date, "; ".join(text for _, text in failures))


def tree_note(card: EnvCard) -> str:
    """Say so when the installed copy of `card`'s engine differs from the tree it came from."""
    try:
        sources = sources_of(read_certificate(certificate_path(card)).sources)
        owner = next((r for r in plugins.PLUGINS.records if card.id in r.envs), None)
        tree = edited_tree(owner.distribution, sources) if owner else None
    except (CertificateError, DeclarationError, MissingDependency):
        return ""  # which `status` reports
    if tree is None:
        return ""
    return (
        f"{card.id}: the installed copy is judged; the sources in {tree} are others. Fix: "
        f"pip install {tree}, or pip install -e {tree}"
    )


def sources_of(data: dict[str, Any]) -> Sources:
    """`Sources` from a certificate's `sources`."""
    return Sources(
        package=data["package"],
        files=tuple(data["files"]),
        compiled=tuple(data["compiled"]),
        embedded=data["embedded"],
    )


def installed(distributions: Iterable[str]) -> dict[str, str]:
    """Installed version of each distribution; one that is absent is left out."""
    found = {}
    for name in distributions:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
