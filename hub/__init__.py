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
    MissingDependency,
    PluginError,
    SnapshotError,
    TargetError,
    UnknownEnvironment,
    UnknownOption,
)
from hub.hookspecs import hookimpl
from hub.plugins import PLUGINS
from hub.registry import EnvCard, Requirement

__version__ = "0.1.0"

__all__ = [
    "PLUGINS",
    "CardError",
    "ClosedError",
    "ConcurrentUseError",
    "EnvCard",
    "ForkedError",
    "HubError",
    "MissingDependency",
    "PluginError",
    "Requirement",
    "SnapshotError",
    "TargetError",
    "UnknownEnvironment",
    "UnknownOption",
    "__version__",
    "hookimpl",
]

PLUGINS.load()
