"""gymhub: one Gymnasium registry for fast environments and sandboxed language-model tasks.

Importing this package registers the id of every installed environment, as strings, with
Gymnasium: `gymnasium.make("hub:native/Pong-v0")` needs no other import, in any process.
"""

from hub.errors import (
    CardError,
    ClosedError,
    ConcurrentUseError,
    ForkedError,
    HubError,
    ImageError,
    InvalidAction,
    MissingDependency,
    PluginError,
    SandboxError,
    SandboxFileError,
    SandboxUnavailable,
    SettingError,
    SnapshotError,
    TargetError,
    UnknownDevice,
    UnknownEnvironment,
    UnknownOption,
)
from hub.hookspecs import RegisterComponent, RegisterEnv, hookimpl
from hub.infos import FinalTransition, final_transition, seed_everything
from hub.plugins import PLUGINS
from hub.registry import EnvCard, Requirement

__version__ = "0.1.0"

__all__ = [
    "PLUGINS",
    "CardError",
    "ClosedError",
    "ConcurrentUseError",
    "EnvCard",
    "FinalTransition",
    "ForkedError",
    "HubError",
    "ImageError",
    "InvalidAction",
    "MissingDependency",
    "PluginError",
    "RegisterComponent",
    "RegisterEnv",
    "Requirement",
    "SandboxError",
    "SandboxFileError",
    "SandboxUnavailable",
    "SettingError",
    "SnapshotError",
    "TargetError",
    "UnknownDevice",
    "UnknownEnvironment",
    "UnknownOption",
    "__version__",
    "final_transition",
    "hookimpl",
    "seed_everything",
]

PLUGINS.load()
