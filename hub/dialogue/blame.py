"""Whose fault a failure is: the table of the outcomes, for exceptions."""

from __future__ import annotations

import errno

from hub.errors import SandboxError, SandboxFileError
from hub.trajectory import Outcome

_FULL = (errno.ENOSPC, errno.EDQUOT)
# What the host is short of, whoever asks for it.
_HOST = (*_FULL, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def blame(error: Exception) -> tuple[Outcome, str]:
    """Return the outcome that `error` gives an episode, and its reason.

    A sandbox says itself whose doing its loss was; `TRUNCATED` stands for a lifetime that is over.
    A host that is out of memory or disk is infrastructure. Every other exception of a tool, domain
    or parser is the environment's: none is the agent's for want of a better idea.
    """
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SandboxError):
        if error.attribution == "agent":
            return Outcome.AGENT_ERROR, str(error)
        if error.attribution == "budget":
            return Outcome.TRUNCATED, "time"
        unknown = "attribution unknown: " if error.attribution == "unknown" else ""
        return Outcome.INFRA_ERROR, f"{unknown}{error}"
    if isinstance(error, SandboxFileError) and error.errno in _FULL:
        return Outcome.AGENT_ERROR, f"the sandbox's disk is full: {error}"
    short = isinstance(error, OSError) and not isinstance(error, SandboxFileError)
    if isinstance(error, MemoryError) or (short and getattr(error, "errno", None) in _HOST):
        return Outcome.INFRA_ERROR, f"the host is out of memory, disk or files: {text}"
    return Outcome.ENV_ERROR, text
