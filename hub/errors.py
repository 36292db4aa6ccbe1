"""The hub's error types: each message names the value, what was expected and the fix."""

from __future__ import annotations

from gymnasium import error as gym_error


class HubError(Exception):
    """Base of every error that the hub raises on purpose."""


class CardError(HubError, ValueError):
    """An `EnvCard` breaks its contract (bad id, live object in kwargs, unknown family...)."""


class UnknownEnvironment(HubError, gym_error.NameNotFound):
    """No registered environment has this id; the message names the nearest ones."""


class MissingDependency(HubError, gym_error.DependencyNotInstalled):
    """A distribution or program that an environment needs is absent; the message has the fix."""


class UnknownOption(HubError, TypeError):
    """A keyword argument that the environment does not have; the message lists those it has."""


class InvalidAction(HubError, gym_error.InvalidAction, ValueError):
    """An action is outside its space; the message names it, its lane and the space."""


class SettingError(HubError, ValueError):
    """An environment variable of the hub has a value that means nothing."""


class PluginError(HubError):
    """A plugin failed to import or to register (raised only under `HUB_STRICT_PLUGINS=1`)."""


class TargetError(HubError, ImportError):
    """A `module:attribute` that a card or a component names cannot be imported."""


class UnknownDevice(HubError, ValueError):
    """A device that this machine's JAX does not have; the message names those it has."""


class ClosedError(HubError, gym_error.ClosedEnvironmentError):
    """An environment or sandbox was used after `close()`."""


class ForkedError(HubError, RuntimeError):
    """A native object was used in a process other than the one that made it."""


class ConcurrentUseError(HubError, RuntimeError):
    """A native object was used from two threads at once."""


class SnapshotError(HubError, ValueError):
    """A snapshot is truncated, altered, or of another version or configuration."""


class TrajectoryError(HubError, ValueError):
    """A trajectory contradicts itself (lengths, flags, a reward that its outcome forbids)."""


class SandboxError(HubError, RuntimeError):
    """A sandbox failed as a whole (a command that fails is no error: it has an exit code).

    Attributes:
        attribution: Whose doing it was, for the outcome of the episode: `"agent"` (it used up or
            destroyed its own sandbox: `agent_error`), `"infra"` (the machine's: `infra_error`) or
            `"unknown"` (`infra_error` with attribution unknown). A spent lifetime is `"budget"`:
            the episode is truncated.
    """

    def __init__(self, message: str, attribution: str = "infra") -> None:
        super().__init__(message)
        self.attribution = attribution


class SandboxUnavailable(SandboxError):
    """No provider can run the sandbox asked for; the message says why for each, with the fix."""


class SandboxFileError(HubError, OSError):
    """A file inside a sandbox cannot be read or written; `errno` says why."""


class ImageError(HubError, ValueError):
    """An image is unknown, cannot be built, or does not hold what a sandbox needs."""


class TaskError(HubError, ValueError):
    """A task source or one of its rows cannot be read; the message names file, line and field."""


class ToolMisuse(HubError, ValueError):
    """A model called a tool wrongly; the message is what the model reads."""


class RecordError(HubError, ValueError):
    """A record of episodes is absent or damaged; the message names the line."""


class ReplayDivergence(RecordError):
    """An action is not the recorded one, or the record ends; the message names turn and place."""


class DeclarationError(HubError, ValueError):
    """A fidelity declaration breaks its contract (too few episodes, two checks of one name...)."""


class CertificateError(HubError, ValueError):
    """A certificate cannot be read: not JSON, another schema version, a missing or bad field."""


class PolicyError(HubError, ValueError):
    """A policy file cannot be read, or is of another schema, network or trainer."""


class TrainingError(HubError, ValueError):
    """A trainer was asked for what it cannot train: an option, a space or an environment."""


class UnknownRecipe(HubError, LookupError):
    """No plugin registered this recipe; the message names the nearest."""


class StaleBuildError(HubError, RuntimeError):
    """A compiled engine was built from other sources than those beside it; rebuild it."""


class BenchError(HubError, ValueError):
    """A benchmark was asked for something that it does not have (suite, case, old document)."""
