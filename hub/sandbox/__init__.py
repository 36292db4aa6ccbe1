"""Sandboxes: one rootless container per episode, with a shell, a Python and files inside.

import hub.sandbox

with hub.sandbox.create() as sandbox:
print(sandbox.exec("echo hi").stdout)
"""

from hub.sandbox.aio import AsyncSandbox
from hub.sandbox.api import create, create_async
from hub.sandbox.client import Sandbox
from hub.sandbox.pool import Pool
from hub.sandbox.probe import capabilities
from hub.sandbox.state import sweep
from hub.sandbox.types import (
    Applied,
    ExecResult,
    Features,
    Image,
    Limits,
    Mount,
    Provider,
    Start,
)

__all__ = [
    "Applied",
    "AsyncSandbox",
    "ExecResult",
    "Features",
    "Image",
    "Limits",
    "Mount",
    "Pool",
    "Provider",
    "Sandbox",
    "Start",
    "capabilities",
    "create",
    "create_async",
    "sweep",
]
