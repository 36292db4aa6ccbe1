"""L3 beside further implementations of the same rules, as far as they can be made here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gymnasium.error import DependencyNotInstalled

from hub.fidelity.declaration import Declaration, Peer, Reference
from hub.fidelity.rollouts import ExactReport, Progress, Terms, run_exact
from hub.fidelity.standing import installed

PeerState: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class PeerReport:
    """What the comparison with one peer found.

    Attributes:
        name: The peer's.
        summary: The peer's.
        state: `"passed"`, `"failed"` or `"skipped"`.
        detail: The first difference, or why it could not be made here.
        versions: Installed version of each of its distributions.
        last_observation: Whether observations of last steps were compared.
        rollouts: The comparison, or None where it was skipped.
    """

    name: str
    summary: str
    state: PeerState
    detail: str
    versions: dict[str, str]
    last_observation: bool
    rollouts: ExactReport | None = None


def run_peers(
    declaration: Declaration, sample: float = 1.0, progress: Progress | None = None
) -> tuple[PeerReport, ...]:
    """Compare the engine with every declared peer; one report each, in their order."""
    return tuple(_run(declaration, peer, sample, progress) for peer in declaration.peers)


def against(declaration: Declaration, peer: Peer) -> Declaration:
    """Return the declaration with `peer` in the reference's place, to run or replay rollouts."""
    return replace(declaration, reference=Reference(make=peer.make, summary=peer.summary))


def terms(peer: Peer) -> Terms:
    """Return how observations are compared with the peer's."""
    return Terms(peer.tolerance, peer.last_observation)


def _run(
    declaration: Declaration, peer: Peer, sample: float, progress: Progress | None
) -> PeerReport:
    versions = installed(peer.distributions)
    blank = PeerReport(peer.name, peer.summary, "skipped", "", versions, peer.last_observation)
    try:
        peer.make(**peer.rollouts.variants[0]).close()
    except (ImportError, DependencyNotInstalled) as error:
        return replace(blank, detail=str(error))
    against_peer = against(declaration, peer)
    found = run_exact(against_peer, peer.rollouts, sample, progress, terms(peer))
    if found.passed:
        return replace(blank, state="passed", rollouts=found)
    assert found.difference is not None, "an exact comparison fails by a difference only"
    text = found.difference.sentence("it")
    return replace(blank, state="failed", detail=text, rollouts=found)
