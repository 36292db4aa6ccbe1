"""The sandbox of one episode: started at the first use, lives as long as the episode may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hub.dialogue.budget import Deadline
from hub.dialogue.domain import Domain
from hub.dialogue.tasks import Task

if TYPE_CHECKING:
    from hub.sandbox import Sandbox

# A sandbox must outlive the episode by the time that collecting the submission takes, and no more.
RESERVE = 60.0


@dataclass(frozen=True)
class SandboxOptions:
    """How episodes' sandboxes are made; all JSON values.

    Attributes:
        provider: As in `hub.sandbox.create`.
        network: As in `hub.sandbox.create`; recorded in the trajectory.
        limits: Fields of `hub.sandbox.Limits`; the lifetime follows from the time budget.
    """

    provider: str | None = None
    network: bool = False
    limits: Mapping[str, Any] = field(default_factory=dict)

    def room(self, domain: Domain, task: Task, deadline: Deadline) -> Room:
        """Return the room of one episode; no sandbox is started yet."""
        return Room(self, domain, task, deadline)


class Room:
    """One episode's sandbox."""

    def __init__(
        self, options: SandboxOptions, domain: Domain, task: Task, deadline: Deadline
    ) -> None:
        self._options = options
        self._domain = domain
        self._task = task
        self._deadline = deadline
        self.sandbox: Sandbox | None = None
        self.network = options.network
        self.unsafe = options.provider == "local"

    def open(self) -> Sandbox:
        """Return the sandbox, starting and preparing it at the first call.

        Raises:
            SandboxError: It cannot be had or did not start.
        """
        if self.sandbox is None:
            from hub.sandbox import Limits, create

            life = self._deadline.left() + RESERVE
            limits = Limits(**{**self._options.limits, "lifetime": life})
            sandbox = create(
                self._domain.image(self._task),
                provider=self._options.provider,
                limits=limits,
                network=self._options.network,
            )
            try:
                self._domain.prepare(self._task, sandbox)
            except BaseException:
                sandbox.close()
                raise
            self.sandbox = sandbox
        return self.sandbox

    def close(self) -> None:
        """End the sandbox; safe to call again."""
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None
