"""The sandbox of one episode: started at the first use, lives as long as the episode may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hub.dialogue.budget import Deadline, known_fields
from hub.dialogue.domain import Domain, Mounted
from hub.dialogue.tasks import Task
from hub.errors import SandboxError, UnknownOption

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

    Raises:
        UnknownOption: There is no such provider or limit, or a value is of another kind.
        ValueError: A limit is out of range.
    """

    provider: str | None = None
    network: bool = False
    limits: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Now, as a first tool call would find it out when the model has already worked. Whether
        # the provider can run here is left to that call: an environment can be looked at without.
        from hub.sandbox import Limits
        from hub.sandbox.providers import providers

        if self.provider is not None and self.provider not in (known := providers()):
            raise UnknownOption(
                f"sandbox provider {self.provider!r}: there is none of that name; there are "
                f"{', '.join(known)} (None takes the first that works)"
            )
        if not isinstance(self.network, bool):
            raise UnknownOption(f"sandbox network {self.network!r}: expected True or False")
        Limits(**known_fields(Limits, "sandbox limits", self.limits))

    @classmethod
    def of(cls, given: SandboxOptions | Mapping[str, Any] | None) -> SandboxOptions:
        """Make options of JSON values; options stand as they are.

        Raises:
            UnknownOption: There is no such field; the message lists them.
        """
        if isinstance(given, SandboxOptions):
            return given
        return cls(**known_fields(cls, "sandbox", given or {}))

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
        self._ended = ""
        self.sandbox: Sandbox | None = None
        self.unsafe = options.provider == "local"
        # Without isolation nothing keeps commands from the network.
        self.network = options.network or self.unsafe

    def open(self) -> Sandbox:
        """Return the sandbox, starting and preparing it at the first call.

        Raises:
            SandboxError: It cannot be had, did not start, or the episode was interrupted.
        """
        if self.sandbox is None:
            from hub.sandbox import Limits, create

            self._refuse_if_interrupted()
            life = self._deadline.left() + RESERVE
            limits = Limits(**{**self._options.limits, "lifetime": life})
            domain, task = self._domain, self._task
            sandbox = create(
                domain.image(task),
                provider=self._options.provider,
                limits=limits,
                network=self._options.network,
                mounts=domain.mounts(task) if isinstance(domain, Mounted) else (),
            )
            try:
                self._domain.prepare(self._task, sandbox)
            except BaseException:
                sandbox.close()
                raise
            self.sandbox = sandbox
        self._refuse_if_interrupted()
        return self.sandbox

    def _refuse_if_interrupted(self) -> None:
        if self._ended:
            raise SandboxError(f"the episode was interrupted: {self._ended}")

    def interrupt(self, reason: str) -> None:
        """Make the command that runs now, and every later one, fail; from any thread."""
        self._ended = reason
        sandbox = self.sandbox
        if sandbox is not None:
            sandbox.kill()

    def close(self) -> None:
        """End the sandbox; safe to call again."""
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None
